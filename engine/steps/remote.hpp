// SPDX-License-Identifier: BSD-3-Clause
// Elements of other nodes' blocks that only data name: asked for, or sent, within the step that needs them,
// grouped by owner. Every rank takes part in the swap, with nothing to ask or send as well. Used by the
// irregular steps when there are several nodes.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "engine/steps/context.hpp"

namespace gamelan::engine::exec {

/// `count` elements of `bytes` bytes in the block of a far rank, `stride` bytes apart.
struct FarRun {
  std::int64_t offset, stride, count, bytes;
};

/// Reads far elements of one slot into the mirrors of their owners. Two swaps.
class Pull {
 public:
  Pull(const Site& site, int slot) : site_(site), slot_(slot) {}
  /// Notes what is wanted; a run that continues the last one of the same owner makes it longer.
  void ask(int owner, const FarRun& run);
  /// `readers`: so many ranks of the node read at a time. Collective. Throws Error{memory} where the mirrors
  /// find no room, and FollowsFailure on the other ranks.
  void exchange(int readers);
  void exchange() { exchange(static_cast<int>(site_.near_ranks().size())); }

 private:
  const Site& site_;
  int slot_;
  std::map<int, std::vector<FarRun>> asked_;
};

/// Writes elements into far blocks of one slot. One swap; runs of one rank are applied in order, ranks by
/// number.
class Push {
 public:
  Push(const Site& site, int slot) : site_(site), slot_(slot) {}
  /// Elements `from_stride` bytes apart, starting at `from`; copied at once.
  void tell(int owner, const FarRun& run, const std::byte* from, std::int64_t from_stride);
  /// Collective.
  void exchange();

 private:
  const Site& site_;
  int slot_;
  std::map<int, protocol::Bytes> told_;
};

}  // namespace gamelan::engine::exec
