// SPDX-License-Identifier: BSD-3-Clause
// The messages between nodes of one rank, for every step of a plan, as far as the plan foresees them.
// Computed once and kept with the plan (plan_cache.hpp); sent by engine/steps/ghost_exchange. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/plan/options.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// The messages of one rank, step by step.
struct CommunicationSchedule {
  std::vector<distribution::Exchange> steps;  ///< the regions in them point into the plan's remote reads
  std::vector<std::int64_t> memory_bytes;     ///< upper bound per step
  /// The most memory that any step takes on any rank. Admission finds it once, by asking all ranks. Negative:
  /// not yet known.
  std::int64_t most_bytes_anywhere = -1;
};
/// The plan must outlive it.
CommunicationSchedule communication_schedule_of(const Plan& plan, const Standpoint& from, int ranks);

}  // namespace gamelan::engine::plan
