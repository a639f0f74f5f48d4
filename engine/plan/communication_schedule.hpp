// SPDX-License-Identifier: BSD-3-Clause
// One rank's messages between nodes for every step of a plan, as far as the plan foresees them. Found once
// and kept with the plan (plan_cache.hpp); sent by engine/steps/ghost_exchange. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/plan/options.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

struct CommunicationSchedule {
  std::vector<distribution::Exchange> steps;  ///< their regions point into the plan's remote reads
  std::vector<std::int64_t> memory_bytes;     ///< at most, per step
  /// The most that any step costs any rank; who admits the plan asks them, once. Negative: not yet known.
  std::int64_t most_bytes_anywhere = -1;
};
/// The plan must outlive it.
CommunicationSchedule communication_schedule_of(const Plan& plan, const Standpoint& from, int ranks);

}  // namespace gamelan::engine::plan
