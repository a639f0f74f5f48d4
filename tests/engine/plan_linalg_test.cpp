// SPDX-License-Identifier: BSD-3-Clause
// Who computes whole matrices: a single one has the cores of all ranks (steps/linalg/blas_threads), so no two
// of them may be computed at the same time.
#include <gtest/gtest.h>

#include "protocol/linalg.hpp"
#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t n = 600;

std::vector<std::int64_t> whole(protocol::Linalg routine) {
  return {static_cast<std::int64_t>(routine), 0, 0};
}

/// The layouts of what steps of whole matrices compute.
std::vector<Layout> results(const Plan& plan) {
  std::vector<Layout> found;
  for (const auto& step : plan.steps)
    if (const auto* linalg = std::get_if<WholeMatrices>(&step.body))
      found.push_back(plan.slots[static_cast<std::size_t>(linalg->out)].info.layout);
  return found;
}

TEST(PlanLinalg, single_matrices_are_all_computed_by_rank_0) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    BatchWriter r(ranks);
    const View a = r.existing({n, n}), b = r.existing({n, n});
    const View inverse = r.call(Op::linalg, {n, n}, Dtype::float64, {a}, whole(protocol::Linalg::inverse));
    const View values = r.call(Op::linalg, {1, n}, Dtype::float64, {b}, whole(protocol::Linalg::eigh_values));
    const View far = r.call(Op::linalg, {n, n}, Dtype::float64, {b}, whole(protocol::Linalg::inverse));
    r.call(Op::redistribute, {n, n}, Dtype::float64, {far}, {ranks - 1, 0, 2, n, 1, 0, n, 1, 0});
    r.batch().frees.push_back(far.base);
    r.compute(Op::add, {inverse, inverse}, false);
    const auto plan = r.plan();
    const auto layouts = results(plan);
    ASSERT_EQ(layouts.size(), 3U) << dump(plan);
    for (const auto& layout : layouts)
      for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(layout.takes_part(rank), rank == 0) << dump(plan);
  }
}

TEST(PlanLinalg, stacks_are_shared_out) {
  BatchWriter r(4);
  const View a = r.existing({8, 30, 30});
  r.call(Op::linalg, {8, 30, 30}, Dtype::float64, {a}, whole(protocol::Linalg::inverse));
  const auto layouts = results(r.plan());
  ASSERT_EQ(layouts.size(), 1U);
  for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(layouts[0].takes_part(rank)) << rank;
}

}  // namespace
}  // namespace gamelan::engine::plan
