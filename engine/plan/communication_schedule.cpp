// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/communication_schedule.hpp"

namespace gamelan::engine::plan {

Traffic traffic_of(const Plan& plan, const Standpoint& from, int ranks) {
  Traffic traffic;
  bool is_silent = true;  // on all ranks alike
  for (const auto& step : plan.steps) {
    is_silent = is_silent && step.readings.empty();
    traffic.steps.push_back(dist::exchange_of(step.readings, from.rank, ranks, from.is_near));
    traffic.memory_bytes.push_back(traffic.steps.back().memory_bytes());
  }
  if (is_silent) traffic.most_bytes_anywhere = 0;
  return traffic;
}

}  // namespace gamelan::engine::plan
