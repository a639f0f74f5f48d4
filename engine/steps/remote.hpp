// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes elements in blocks of other nodes whose places only data say. They are requested, or sent,
// within the step that needs them, grouped by owner. Every rank takes part in the swap, even with nothing to
// request or send. Used when there are several nodes.
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
  /// Notes elements to be read. A run that continues the last one of the same owner makes that one longer.
  void ask(int owner, const RemoteRun& run);
  /// Brings the noted elements. `readers`: how many ranks of the node read at a time. Collective. Throws
  /// Error{memory} when the ghost buffers have no room, and then FollowsFailure on the other ranks.
  void exchange(int readers);
  void exchange() { exchange(static_cast<int>(context_.near_ranks().size())); }

 private:
  const StepContext& context_;
  int slot_;
  std::map<int, std::vector<RemoteRun>> asked_;
};

/// Writes elements into remote blocks of one slot, with one swap. The runs of one rank are applied in order,
/// ranks by number.
class RemoteScatter {
 public:
  RemoteScatter(const StepContext& context, int slot) : context_(context), slot_(slot) {}
  /// Notes elements to be written: they lie `from_stride` bytes apart from `from` on, and are copied at once.
  void tell(int owner, const RemoteRun& run, const std::byte* from, std::int64_t from_stride);
  /// Sends and writes the noted elements. Collective.
  void exchange();

 private:
  const StepContext& context_;
  int slot_;
  std::map<int, protocol::Bytes> told_;
};

}  // namespace gamelan::engine::steps
