// SPDX-License-Identifier: BSD-3-Clause
// Before which steps an interrupt may end a plan, and how far what changes arrays may run ahead of the
// program. interrupt_test.cpp shows that what is marked is true.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

std::vector<int> prefixes(const Plan& plan) {
  std::vector<int> found;
  for (const auto& step : plan.steps) found.push_back(step.prefix);
  return found;
}

void increment(BatchWriter& r, const View& view) { r.assign(view, r.compute(Op::add, {view, number(1)})); }

TEST(Prefixes, are_everywhere_in_a_loop_over_a_grid) {
  BatchWriter r(2);
  const View u = r.existing({700, 700});
  for (int sweep = 0; sweep < 3; ++sweep) {
    const View old = r.compute(Op::copy, {u}, sweep < 2);
    record_jacobi(r, u, 700);
    r.sum(r.compute(Op::subtract, {u, old}));
  }
  const auto plan = r.plan();
  for (const auto& step : plan.steps) EXPECT_GE(step.prefix, 0) << dump(plan);
  EXPECT_EQ(plan.steps[2].prefix, 12)
      << dump(plan);  // the first command of the second turn that changes what is seen
}

TEST(Prefixes, are_before_a_wavefront_and_not_within_it) {
  BatchWriter r(2);
  const View u = r.existing({1000, 1000}), row = r.existing({5000});
  for (int sweep = 0; sweep < 3; ++sweep) record_jacobi(r, u, 1000);
  increment(r, row);
  const auto plan = r.plan();
  ASSERT_GE(plan.steps.size(), 3U);
  ASSERT_TRUE(std::holds_alternative<Wavefront>(plan.steps[0].body)) << dump(plan);
  ASSERT_TRUE(is_at_borders(plan.steps[1])) << dump(plan);
  EXPECT_EQ(plan.steps[0].prefix, 3) << dump(plan);  // what command 4 assigns
  EXPECT_EQ(plan.steps[1].prefix, -1) << dump(plan);
  EXPECT_EQ(plan.steps[2].prefix, 15) << dump(plan);
}

TEST(Prefixes, are_none_while_one_array_is_ahead_of_another) {
  BatchWriter r(2, {"tile_time"});
  const View u = r.existing({700, 700}), row = r.existing({5000});
  increment(r, row);         // commands 0 and 1
  record_jacobi(r, u, 700);  // 2 to 6
  increment(r, row);         // 7 and 8: in the pass of 0 and 1
  record_jacobi(r, u, 700);  // 9 to 13
  const auto plan = r.plan();
  EXPECT_EQ(prefixes(plan), (std::vector<int>{0, -1, 12})) << dump(plan);  // 12: what 13 assigns
  EXPECT_NE(dump(plan).find("step 1 (no interrupt before it): fused loop"), std::string::npos);
}

TEST(Prefixes, are_kept_where_what_is_overtaken_would_take_long) {
  BatchWriter r(2);
  constexpr std::int64_t n = 50'000;
  const View u = r.existing({n, n}), row = r.existing({5000});
  increment(r, row);
  record_jacobi(r, u, n);
  increment(r, row);
  const auto plan = r.plan();
  EXPECT_EQ(plan.steps.size(), 3U) << dump(plan);
  for (const auto& step : plan.steps) EXPECT_GE(step.prefix, 0) << dump(plan);
}

TEST(Prefixes, wait_for_the_write_that_leaves_a_copy_behind) {
  for (const std::int64_t n : {700, 50'000}) {
    BatchWriter r(2);
    const View u = r.existing({700, 700}), row = r.existing({5000}), other = r.existing({n, n});
    r.compute(Op::copy, {u}, false);
    increment(r, row);
    record_jacobi(r, other, n);
    increment(r, u);
    const auto plan = r.plan();
    const bool is_long = n > 700;
    ASSERT_EQ(plan.steps.size(), is_long ? 4U : 3U) << dump(plan);  // the copy, when it is one
    EXPECT_EQ(plan.steps.back().hands_over.empty(), is_long) << dump(plan);
    for (std::size_t s = 1; s < plan.steps.size(); ++s)
      EXPECT_EQ(plan.steps[s].prefix >= 0, is_long) << dump(plan);
  }
}

/// Commands from `first` on are one call of the user's, each of the others one of its own.
void join_from(BatchWriter& r, std::size_t first) {
  auto& batch = r.batch();
  for (std::size_t c = 0; c < batch.commands.size(); ++c)
    batch.commands[c].origin = static_cast<std::uint32_t>(std::min(c, first));
  batch.origins.assign(first + 1, {"cell", 1});
}

TEST(Prefixes, are_none_within_a_call) {
  for (const std::size_t first : {2, 0}) {
    BatchWriter r(2);
    const View u = r.existing({700, 700}), row = r.existing({5000});
    increment(r, row);         // commands 0 and 1
    record_jacobi(r, u, 700);  // 2 to 6
    join_from(r, first);
    const auto plan = r.plan();
    EXPECT_EQ(prefixes(plan), first == 2 ? (std::vector<int>{0, 2}) : (std::vector<int>{0, -1}))
        << dump(plan);
  }
}

TEST(Prefixes, are_where_a_call_has_changed_none_but_its_own_arrays) {
  BatchWriter r(2, {"tile_time"});
  const View u = r.existing({700, 700}), row = r.existing({5000});
  increment(r, row);
  const View slopes = r.compute(Op::copy, {u}, false);
  record_jacobi(r, slopes, 700);
  record_jacobi(r, slopes, 700);
  join_from(r, 2);
  const auto plan = r.plan();
  ASSERT_GE(plan.steps.size(), 3U) << dump(plan);
  for (std::size_t s = 1; s < plan.steps.size(); ++s) EXPECT_EQ(plan.steps[s].prefix, 2) << dump(plan);
}

TEST(Prefixes, do_not_mind_what_nobody_sees) {
  BatchWriter r(2);
  const View u = r.existing({700, 700}), row = r.existing({5000});
  increment(r, row);
  record_jacobi(r, u, 700);
  increment(r, row);
  r.batch().frees.push_back(row.base);
  for (const auto& step : r.plan().steps) EXPECT_GE(step.prefix, 0);
}

}  // namespace
}  // namespace gamelan::engine::plan
