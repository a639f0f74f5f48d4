// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/scale/cost.hpp"

#include <algorithm>

#include "tests/engine/scale/allocations.hpp"
#include "tests/thread_time.hpp"

namespace gamelan::tests {
namespace {

double now_us() { return testing::thread_seconds() * 1e6; }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Cost measure(const Program& program, int ranks, With what) {
  engine::plan::BatchWriter batch(ranks);
  batch.see_nodes(0, ranks_per_node);
  program.record(batch);
  batch.plan();  // what ran before has left the caches to it
  Cost cost;
  const auto live = allocations().live;
  auto bytes = allocations().bytes;
  auto start = now_us();
  const auto plan = engine::plan::make_plan(batch.batch(), batch.catalog(), batch.options());  // unverified
  cost.plan_us = now_us() - start;
  cost.plan_bytes = allocations().bytes - bytes;
  cost.plan_live = allocations().live - live;
  for (const int rank : {0, 1, ranks / 3, ranks / 2, ranks - 2, ranks - 1}) {
    if (what != With::part) {
      start = now_us();
      const Mail mail = mail_of(plan, rank, ranks);
      cost.mail_us = std::max(cost.mail_us, now_us() - start);
      if (mail.all() >= cost.mail.all()) cost.mail = mail;
    }
    if (what == With::mail) continue;
    bytes = allocations().bytes;
    start = now_us();
    const Part part = part_of(plan, rank);
    cost.part_us = std::max(cost.part_us, now_us() - start);
    cost.part_bytes = std::max(cost.part_bytes, allocations().bytes - bytes);
    cost.part = {std::max(cost.part.cells, part.cells), std::max(cost.part.remote, part.remote)};
  }
  return cost;
}

Cost measure_well(const Program& program, int ranks, With what) {
  constexpr int repeats = 11;
  constexpr double enough_us = 100'000;
  std::vector<double> plan, part, mail;
  Cost cost;
  double spent = 0;
  while (plan.size() < repeats && spent < enough_us) {
    cost = measure(program, ranks, what);
    plan.push_back(cost.plan_us);
    part.push_back(cost.part_us);
    mail.push_back(cost.mail_us);
    spent += cost.us() + cost.mail_us;
  }
  cost.plan_us = median(plan);
  cost.part_us = median(part);
  cost.mail_us = median(mail);
  return cost;
}

}  // namespace gamelan::tests
