// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/communication_schedule.hpp"

namespace gamelan::engine::plan {

CommunicationSchedule communication_schedule_of(const Plan& plan, const Standpoint& from, int ranks) {
  CommunicationSchedule schedule;
  bool is_silent = true;  // on all ranks alike
  for (const auto& step : plan.steps) {
    is_silent = is_silent && step.remote_reads.empty();
    schedule.steps.push_back(distribution::exchange_of(step.remote_reads, from.rank, ranks, from.is_near));
    schedule.memory_bytes.push_back(schedule.steps.back().memory_bytes());
  }
  if (is_silent) schedule.most_bytes_anywhere = 0;
  return schedule;
}

}  // namespace gamelan::engine::plan
