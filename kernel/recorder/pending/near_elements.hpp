// SPDX-License-Identifier: BSD-3-Clause
// Elements that looks at pending arrays come back to: a loop of `print((v + w)[k])` needs those of v and w
// around k. From the third look on they are fetched along, and a look of which all operands are here is
// computed here, with the engines' bits. Pure data; it uses neither Python nor sockets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernel/recorder/pending/partial_look.hpp"

namespace gamelan::kernel {

class NearElements {
 public:
  using Elements = std::vector<protocol::Bytes>;  ///< by view that is looked at

  /// What the look asks for. Nothing where an operand is not here, for other commands than copies, sums,
  /// differences, products and quotients of float64, for many elements, and where an operation met a
  /// floating-point error, of which the engines tell.
  std::optional<Elements> compute(const PartialLook& look) const;
  /// What is best fetched with the look, for those that will follow: nothing for what could not be computed
  /// here anyhow. To be called once for each look that is not computed here: it counts them.
  std::vector<protocol::View> wanted(const PartialLook& look);
  /// Changes when an array is changed in place: elements that were asked for before are not to be kept.
  std::uint64_t epoch() const { return epoch_; }
  /// Elements that were wanted have come.
  void keep(const std::vector<protocol::View>& views, Elements elements);
  /// An array has been changed in place.
  void forget() noexcept;

 private:
  struct Window {
    std::int64_t first;  // byte of the array at which `bytes` begins
    protocol::Bytes bytes;
  };
  struct Near {
    int looks = 0;                // that have missed an element, since some were fetched
    std::vector<Window> windows;  // the latest is the last
  };
  const Window* find(const protocol::View& part) const;
  std::optional<std::vector<double>> elements_of(const protocol::View& part) const;

  std::unordered_map<protocol::ArrayId, Near> arrays_;
  std::uint64_t epoch_ = 0;
};

}  // namespace gamelan::kernel
