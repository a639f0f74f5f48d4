// SPDX-License-Identifier: BSD-3-Clause
// A loop over the parts of an array (its rows, or 10,000 elements at a time) uses each part once or twice.
// When each lies as far behind the one before, brought.cpp fetches several at once. Arithmetic of views only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/view.hpp"

namespace gamelan::kernel {

/// The parts of one array in the order of their use.
class Sweep {
 public:
  /// Notes a part that was not among the last ones, and how many batches the session has sent. Its strides
  /// are positive and descend.
  void note(const protocol::View& part, std::uint64_t batches);
  /// `part` and those that will follow, along a new first axis, once there were enough of them: more than
  /// the `before` that came last, within the base's bytes. Nothing where parts would overlap, or are so large
  /// that they are as soon computed there, at least while nobody looks at what was computed.
  std::optional<protocol::View> ahead(const protocol::View& part, std::int64_t base_bytes,
                                      std::int64_t before) const;

 private:
  protocol::View last_;
  std::int64_t step_ = 0;  // bytes from part to part
  int steps_ = 0;          // how many were as long
  int looks_ = 0;          // between them
  std::uint64_t batches_ = 0;
};

/// True when `ahead` is of parts like this one.
bool is_of(const protocol::View& ahead, const protocol::View& part);
/// At which byte the part begins among the elements of `ahead`, in C order; nothing where it is no part of
/// them.
std::optional<std::size_t> place_in(const protocol::View& ahead, const protocol::View& part);

}  // namespace gamelan::kernel
