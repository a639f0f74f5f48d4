// SPDX-License-Identifier: BSD-3-Clause
// Which batches share a plan, and that a shared plan is the one that would have been made.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/plan/plan_cache.hpp"
#include "tests/engine/batch_writer.hpp"
#include "tests/thread_time.hpp"

namespace gamelan::engine::plan {
namespace {

/// One turn of a loop with arrays of other names: a stencil, a number, a sum that is looked at.
BatchWriter turn(ArrayId first, std::int64_t n = 64, double factor = 0.5, int ranks = 4,
                 std::set<std::string> disabled = {}) {
  BatchWriter writer(ranks, std::move(disabled), first);
  const View u = writer.existing({n, n});
  record_jacobi(writer, u, n);
  writer.batch().fetches.push_back(writer.sum(writer.compute(Op::multiply, {u, number(factor)})));
  return writer;
}

class PlanCacheTest : public ::testing::Test {
 protected:
  std::optional<NamedPlan> find(const BatchWriter& writer) {
    return cache.find(writer.batch(), writer.catalog(), writer.options());
  }
  NamedPlan make(BatchWriter& writer) {
    EXPECT_FALSE(find(writer));
    return cache.make(writer.batch(), writer.catalog(), writer.options());
  }
  PlanCache cache;
};

TEST_F(PlanCacheTest, a_turn_with_other_names_has_the_same_plan) {
  auto first = turn(100), second = turn(7'000);
  const auto made = make(first);
  const auto found = find(second);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plan, made.plan);
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.misses(), 1U);
}

TEST_F(PlanCacheTest, a_batch_whose_errors_are_heard_has_another_plan) {
  const auto look = [](ArrayId first, unsigned watched) {
    BatchWriter writer(2, {}, first);
    const View a = writer.existing({100});
    View one = writer.compute(Op::divide, {a, a});
    one.extents = one.strides = {};
    writer.compute(Op::copy, {one}, false);
    writer.batch().watched = static_cast<std::uint8_t>(watched);
    return writer;
  };
  auto first = look(100, 0), second = look(7'000, protocol::float_divide), third = look(9'000, 0);
  const auto one = make(first), all = make(second);
  EXPECT_NE(dump(*one.plan), dump(*all.plan));
  EXPECT_EQ(dump(*all.plan), dump(second.plan())) << "it is told of the errors";
  EXPECT_TRUE(find(third));
}

TEST_F(PlanCacheTest, other_calls_of_the_user_have_another_plan) {
  auto first = turn(100), second = turn(7'000), third = turn(9'000);
  for (auto* writer : {&first, &second, &third}) {
    auto& batch = writer->batch();
    batch.origins.assign(batch.commands.size(), {"cell", 1});
    for (std::size_t c = 0; c < batch.commands.size(); ++c)
      batch.commands[c].origin = static_cast<std::uint32_t>(c);
  }
  first.batch().commands[2].origin = second.batch().commands[2].origin = 1;
  const auto made = make(first);
  EXPECT_TRUE(find(second));
  EXPECT_FALSE(find(third));
}

TEST_F(PlanCacheTest, messages_between_nodes_are_found_once) {
  auto first = turn(100), second = turn(7'000), on_one_node = turn(100);
  for (auto* writer : {&first, &second}) writer->see_nodes(1, 2);
  EXPECT_EQ(make(on_one_node).schedule, nullptr);
  PlanCache nodes;
  EXPECT_FALSE(nodes.find(first.batch(), first.catalog(), first.options()));
  const auto made = nodes.make(first.batch(), first.catalog(), first.options());
  ASSERT_TRUE(made.schedule);
  ASSERT_EQ(made.schedule->steps.size(), made.plan->steps.size());
  EXPECT_FALSE(made.schedule->steps[0].is_empty());
  const auto found = nodes.find(second.batch(), second.catalog(), second.options());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->schedule, made.schedule);
}

/// A rank that has no messages keeps the plans that a busy one keeps: else their ways would part.
TEST_F(PlanCacheTest, all_ranks_keep_the_same_plans) {
  constexpr int ranks = 64;
  std::vector<std::vector<bool>> found_by;
  for (const int rank : {0, 5, ranks - 1}) {
    PlanCache small(3'000);
    std::mt19937 random(7);
    auto& found = found_by.emplace_back();
    for (int round = 0; round < 60; ++round) {
      auto writer = turn(100, 64 + static_cast<std::int64_t>(random() % 20), 0.5, ranks);
      writer.see_nodes(rank, rank == 5 ? ranks : 2);
      found.push_back(small.find(writer.batch(), writer.catalog(), writer.options()).has_value());
      if (!found.back()) small.make(writer.batch(), writer.catalog(), writer.options());
    }
    EXPECT_GT(std::count(found.begin(), found.end(), true), 5);
    EXPECT_GT(std::count(found.begin(), found.end(), false), 15);
  }
  EXPECT_EQ(found_by[0], found_by[1]);
  EXPECT_EQ(found_by[0], found_by[2]);
}

TEST_F(PlanCacheTest, slots_are_named_as_in_the_batch) {
  auto first = turn(100), second = turn(7'000);
  make(first);
  const auto found = find(second);
  const Plan fresh = second.plan();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->plan->slots.size(), fresh.slots.size());
  for (std::size_t slot = 0; slot < fresh.slots.size(); ++slot)
    EXPECT_EQ(found->array_of(static_cast<int>(slot)), fresh.slots[slot].array);
  Plan renamed = *found->plan;
  for (std::size_t slot = 0; slot < fresh.slots.size(); ++slot)
    renamed.slots[slot].array = found->array_of(static_cast<int>(slot));
  EXPECT_EQ(dump(renamed), dump(fresh));
}

TEST_F(PlanCacheTest, whatever_planning_can_see_makes_another_plan) {
  auto base = turn(100);
  make(base);
  auto other_extents = turn(100, 65), other_number = turn(100, 64, 0.25), other_ranks = turn(100, 64, 0.5, 3),
       other_passes = turn(100, 64, 0.5, 4, {"fuse"});
  for (auto* other : {&other_extents, &other_number, &other_ranks, &other_passes}) EXPECT_FALSE(find(*other));
  auto kept = turn(100);
  kept.batch().frees.pop_back();
  EXPECT_FALSE(find(kept)) << "an array that lives on must be stored";
  auto unread = turn(100);
  unread.batch().fetches.clear();
  EXPECT_FALSE(find(unread));
  auto longer = turn(100);
  longer.compute(Op::add, {longer.existing({64, 64}), number(1)});
  EXPECT_FALSE(find(longer));
  EXPECT_TRUE(find(turn(100)));
}

TEST_F(PlanCacheTest, another_layout_makes_another_plan) {
  auto base = turn(100);
  make(base);
  auto moved = turn(100);
  const auto moved_catalog = [&](ArrayId id) -> const ArrayInfo* {
    static ArrayInfo info;
    const auto* known = moved.catalog()(id);
    if (known == nullptr) return nullptr;
    info = *known;
    std::swap(info.layout.axes[0], info.layout.axes[1]);
    return &info;
  };
  ASSERT_NE(moved.catalog()(100)->layout.axes[0], moved.catalog()(100)->layout.axes[1]);
  EXPECT_FALSE(cache.find(moved.batch(), moved_catalog, moved.options()));
}

TEST_F(PlanCacheTest, one_array_twice_is_not_two_arrays) {
  BatchWriter same(2, {}, 1), different(2, {}, 1);
  const View a = same.existing({100});
  same.compute(Op::add, {a, a}, false);
  const View b = different.existing({100}), c = different.existing({100});
  different.compute(Op::add, {b, c}, false);
  make(same);
  EXPECT_FALSE(find(different));
}

TEST_F(PlanCacheTest, arrays_that_are_not_as_the_batch_says_are_never_found) {
  auto base = turn(100);
  make(base);
  const auto nothing = [](ArrayId) -> const ArrayInfo* { return nullptr; };
  EXPECT_FALSE(cache.find(base.batch(), nothing, base.options())) << "it reads an array that does not exist";
  static const ArrayInfo info{{64, 64}, Dtype::float64, distribution::default_layout({64, 64}, 4)};
  const auto everything = [](ArrayId) { return &info; };
  EXPECT_FALSE(cache.find(base.batch(), everything, base.options())) << "it creates arrays that exist";
}

TEST_F(PlanCacheTest, the_least_recently_used_plans_go_first) {
  auto sample = turn(100);
  make(sample);
  PlanCache small(6'000);
  const auto put = [&](std::int64_t n) {
    auto writer = turn(100, n);
    if (small.find(writer.batch(), writer.catalog(), writer.options())) return true;
    small.make(writer.batch(), writer.catalog(), writer.options());
    return false;
  };
  EXPECT_FALSE(put(10));
  for (std::int64_t n = 11; n < 300; ++n) {
    EXPECT_FALSE(put(n));
    EXPECT_TRUE(put(10)) << "used in every turn";
  }
  EXPECT_FALSE(put(11)) << "long gone";
}

TEST_F(PlanCacheTest, a_full_cache_takes_in_a_plan_as_fast_as_an_empty_one) {
  constexpr std::int64_t turns = 500;
  std::int64_t n = 10;
  PlanCache small(std::size_t{1} << 19);
  const auto seconds = [&](std::int64_t count) {
    const auto start = testing::thread_seconds();
    for (const auto until = n + count; n < until; ++n) {
      BatchWriter writer(4, {}, 100);
      writer.batch().fetches.push_back(writer.compute(Op::negative, {writer.existing({n})}));
      EXPECT_FALSE(small.find(writer.batch(), writer.catalog(), writer.options()));
      small.make(writer.batch(), writer.catalog(), writer.options());
    }
    return testing::thread_seconds() - start;
  };
  const double empty = seconds(turns);
  seconds(20'000);
  double full = seconds(turns);
  for (int repeat = 0; repeat < 4; ++repeat) full = std::min(full, seconds(turns));
  EXPECT_LT(full, 10 * empty);
}

}  // namespace
}  // namespace gamelan::engine::plan
