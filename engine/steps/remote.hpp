// SPDX-License-Identifier: BSD-3-Clause
// Elements of other nodes' blocks that only data name: asked for, or sent, within the step that needs them,
// grouped by owner. Every rank takes part in the swap, with nothing to ask or send as well. Used by the
// irregular steps when there are several nodes.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// `count` elements of `bytes` bytes in the block of a remote rank, `stride` bytes apart.
struct RemoteRun {
  std::int64_t offset, stride, count, bytes;
};

/// Reads remote elements of one slot into the ghost buffers of their owners. Two swaps.
class RemoteGather {
 public:
  RemoteGather(const StepContext& context, int slot) : context_(context), slot_(slot) {}
  /// Notes what is wanted; a run that continues the last one of the same owner makes it longer.
  void ask(int owner, const RemoteRun& run);
  /// `readers`: so many ranks of the node read at a time. Collective. Throws Error{memory} where the ghost
  /// buffers find no room, and FollowsFailure on the other ranks.
  void exchange(int readers);
  void exchange() { exchange(static_cast<int>(context_.near_ranks().size())); }

 private:
  const StepContext& context_;
  int slot_;
  std::map<int, std::vector<RemoteRun>> asked_;
};

/// Writes elements into remote blocks of one slot. One swap; runs of one rank are applied in order, ranks by
/// number.
class RemoteScatter {
 public:
  RemoteScatter(const StepContext& context, int slot) : context_(context), slot_(slot) {}
  /// Elements `from_stride` bytes apart, starting at `from`; copied at once.
  void tell(int owner, const RemoteRun& run, const std::byte* from, std::int64_t from_stride);
  /// Collective.
  void exchange();

 private:
  const StepContext& context_;
  int slot_;
  std::map<int, protocol::Bytes> told_;
};

}  // namespace gamelan::engine::steps
