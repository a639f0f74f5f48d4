// SPDX-License-Identifier: BSD-3-Clause
// The memory of the lanes (lane.hpp) in a process that did not make it: a client's, or a rank's other than 0.
#pragma once
#include <memory>

#include "protocol/lanes/lane.hpp"

namespace gamelan::protocol {

struct UnmapLanes {
  void operator()(LaneRegion* region) const;
};
using LaneMemory = std::unique_ptr<LaneRegion, UnmapLanes>;

/// Maps what rank 0 offers; children made by fork do not get it. /proc gives it only to the same user, and
/// only where rank 0's process is visible under its number. Throws Error{os} with the reason when it cannot
/// be had: rank 0 runs on another machine, in another container, as another user, or is of another build.
LaneMemory map_lanes(const LaneOffer& offer);

}  // namespace gamelan::protocol
