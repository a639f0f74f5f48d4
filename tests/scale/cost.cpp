// SPDX-License-Identifier: BSD-3-Clause
#include "tests/scale/cost.hpp"

#include <ctime>

#include <algorithm>

#include "tests/scale/allocations.hpp"

namespace gamelan::tests {
namespace {

/// Of this thread, so that what else the machine does hardly counts.
double now_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Cost measure(const Program& program, int ranks) {
  engine::plan::BatchWriter batch(ranks);
  program.record(batch);
  batch.plan();  // what ran before has left the caches to it
  Cost cost;
  const auto live = allocations().live;
  auto bytes = allocations().bytes;
  auto start = now_us();
  const auto plan = batch.plan();
  cost.plan_us = now_us() - start;
  cost.plan_bytes = allocations().bytes - bytes;
  cost.plan_live = allocations().live - live;
  for (const int rank : {0, 1, ranks / 3, ranks / 2, ranks - 2, ranks - 1}) {
    bytes = allocations().bytes;
    start = now_us();
    const Part part = part_of(plan, rank);
    cost.part_us = std::max(cost.part_us, now_us() - start);
    cost.part_bytes = std::max(cost.part_bytes, allocations().bytes - bytes);
    if (part.cells > cost.part.cells) cost.part = part;
  }
  return cost;
}

Cost measure_well(const Program& program, int ranks) {
  constexpr int repeats = 11;
  constexpr double enough_us = 100'000;
  std::vector<double> plan, part;
  Cost cost;
  double spent = 0;
  while (plan.size() < repeats && spent < enough_us) {
    cost = measure(program, ranks);
    plan.push_back(cost.plan_us);
    part.push_back(cost.part_us);
    spent += cost.us();
  }
  cost.plan_us = median(plan);
  cost.part_us = median(part);
  return cost;
}

}  // namespace gamelan::tests
