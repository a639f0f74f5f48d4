// SPDX-License-Identifier: BSD-3-Clause
// What the planner makes of sums: which passes they join, and the tree of their partials.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

TEST(PlanOfFolds, reduction_blocks_over_the_ends_of_blocks_do_not_store) {
  BatchWriter r(4);
  View inner = r.existing({100'000});
  inner.offset = 8;
  inner.extents = {99'990};
  const View b = r.compute(Op::multiply, {inner, inner}, false);
  r.sum(b);
  const auto plan = r.plan();
  ASSERT_EQ(plan.steps.size(), 3U) << dump(plan);
  EXPECT_TRUE(std::holds_alternative<FusedLoop>(plan.steps[0].body));
}

TEST(PlanOfFolds, many_partials_are_folded_by_a_tree) {
  std::vector<std::vector<Shape>> trees;
  for (const int ranks : {1, 3, 64, 65'536}) {
    BatchWriter r(ranks);
    r.sum(r.existing({100'000, 100'000}));
    const auto plan = r.plan();
    auto& tree = trees.emplace_back();
    for (const auto& step : plan.steps) {
      if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
        tree.push_back(fold->values.iterations.extents());
      if (const auto* finish = std::get_if<FoldFinish>(&step.body)) {
        EXPECT_EQ(finish->partials,
                  std::get<FoldBlocks>(plan.steps[plan.steps.size() - 2].body).folds[0].partials);
        EXPECT_LE(protocol::element_count(finish->input.placement.iterations.extents()), 16)
            << "whoever wants the sum reads few numbers";
      }
    }
    EXPECT_EQ(tree.size() + 1, plan.steps.size()) << dump(plan);
    EXPECT_EQ(
        tree,
        (std::vector<Shape>{
            {100'000, 98}, {100'000, 2}, {3125, 1}, {49, 1}, {1, 1}}));  // as in tests/bench/test_model.py
    EXPECT_EQ(tree, trees.front()) << "its form must not depend on the ranks: the bits of the sum would";
  }
}

TEST(PlanOfFolds, long_rows_are_folded_in_long_runs_however_few_they_are) {
  for (const auto& [extents, axis, block] :
       std::vector<std::tuple<Shape, std::int64_t, Shape>>{{{3, 130'000}, 1, {1, 512}},
                                                           {{100, 4000}, 1, {1, 256}},
                                                           {{200, 2000}, 1, {1, 256}},
                                                           {{255, 1600}, 1, {1, 256}},
                                                           {{300, 1400}, 1, {1, 256}},
                                                           {{2000, 200}, 0, {16, 1}},
                                                           {{2000, 300}, 0, {16, 1}}}) {
    BatchWriter r(2);
    const Shape kept{extents[static_cast<std::size_t>(1 - axis)]};
    r.call(Op::sum, kept, Dtype::float64, {r.existing(extents)}, {axis});
    const auto plan = r.plan();
    const auto* fold = std::get_if<FoldBlocks>(&plan.steps[0].body);
    ASSERT_TRUE(fold) << dump(plan);
    EXPECT_EQ(fold->block_extents, block) << dump(plan);
  }
}

TEST(PlanOfFolds, squared_deviations_are_one_pass_with_other_folds_of_the_array) {
  for (const auto& [extents, axes, kept, at] :
       std::vector<std::tuple<Shape, Shape, Shape, std::size_t>>{{{50'000}, {0}, {}, 1},
                                                                 {{700, 300}, {0}, {300}, 1},
                                                                 {{700, 300}, {1}, {700}, 2},
                                                                 {{40, 50, 60}, {0, 2}, {50}, 3},
                                                                 {{40, 50, 60}, {0, 1}, {60}, 2}})
    for (const int ranks : {1, 2, 3, 4}) {
      BatchWriter r(ranks);
      const View a = r.existing(extents);
      r.call(Op::squared_deviations, kept, Dtype::float64, {a}, axes);
      r.call(Op::sum, kept, Dtype::float64, {a}, axes);
      const auto plan = r.plan();
      int passes = 0;
      for (const auto& step : plan.steps)
        if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) {
          ++passes;
          const auto& moments = plan.slots[static_cast<std::size_t>(fold->folds[0].partials)].info.extents;
          ASSERT_EQ(moments.size(), extents.size() + 1);
          EXPECT_EQ(moments[at], moment_parts) << dump(plan);
        }
      EXPECT_EQ(passes, 1) << dump(plan);
      EXPECT_EQ(find_fault(plan, ranks), std::nullopt);
    }
}

TEST(PlanOfFolds, squared_deviations_over_no_axes_are_planned) {
  for (const Shape& extents : {Shape{}, Shape{5}, Shape{300, 200}}) {
    BatchWriter r(2);
    r.call(Op::squared_deviations, extents, Dtype::float64, {r.existing(extents)}, {});
    EXPECT_EQ(find_fault(r.plan(), 2), std::nullopt) << dump(r.plan());
  }
}

/// How many steps fold reduction blocks.
int passes_of(const Plan& plan) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(), [](const auto& step) {
    return std::holds_alternative<FoldBlocks>(step.body);
  }));
}

TEST(PlanOfFolds, several_arrays_in_the_same_blocks_are_folded_in_one_pass) {
  for (const int ranks : {1, 2, 3, 4}) {
    BatchWriter r(ranks);
    r.sum(r.existing({50'000}));
    r.sum(r.existing({50'000}));
    EXPECT_EQ(passes_of(r.plan()), 1) << dump(r.plan());
    r.sum(r.existing({40'000}));
    EXPECT_EQ(passes_of(r.plan()), 2) << "of another size: " << dump(r.plan());
  }
}

TEST(PlanOfFolds, a_fold_stays_with_the_pass_that_computes_its_operand_or_reads_its_rows) {
  for (const int ranks : {1, 2, 3, 4}) {
    BatchWriter computed(ranks);
    const View twice = computed.compute(Op::square, {computed.existing({50'000})});
    computed.sum(computed.existing({50'000}));
    computed.sum(twice);
    for (const auto& step : computed.plan().steps)
      EXPECT_FALSE(std::holds_alternative<FusedLoop>(step.body)) << dump(computed.plan());

    BatchWriter rows(ranks, {"chain_rows"});
    for (int k = 0; k < 2; ++k) rows.call(Op::sum, {700}, Dtype::float64, {rows.existing({700, 300})}, {1});
    EXPECT_EQ(passes_of(rows.plan()), 2) << dump(rows.plan());

    BatchWriter large(ranks);
    for (int k = 0; k < 2; ++k) large.sum(large.existing({20'000'000}));
    for (const auto& step : large.plan().steps)
      if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) {
        EXPECT_EQ(fold->folds.size(), 1U) << "an interrupt waits for a pass: " << dump(large.plan());
      }
  }
}

TEST(PlanOfFolds, where_ranks_hold_few_long_rows_each_folds_a_piece_of_all_of_them) {
  for (const int ranks : {2, 3, 4}) {
    BatchWriter r(ranks);
    View rows = r.existing({4'000'000});
    rows.extents = {10, 400'000};
    rows.strides = {8 * 400'000, 8};
    r.call(Op::sum, {400'000}, Dtype::float64, {rows}, {0});
    r.compute(Op::multiply, {rows, rows}, false);
    const auto plan = r.plan();
    std::size_t folds = 0;
    for (const auto& step : plan.steps)
      if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) {
        ++folds;
        EXPECT_EQ(fold->values.iterations.axes[1].parts, ranks) << dump(plan);
        EXPECT_TRUE(fold->folds[0].is_result) << dump(plan);
      } else if (const auto* loop = std::get_if<FusedLoop>(&step.body)) {
        EXPECT_EQ(loop->iterations.axes[0].parts, ranks) << "what is kept lies as its operand\n"
                                                         << dump(plan);
      }
    EXPECT_EQ(folds, 1U) << dump(plan);
  }
  for (const auto& [extents, ranks] : std::vector<std::pair<Shape, int>>{
           {{2000, 3000}, 4}, {{2000, 2000}, 128}, {{64, 64, 3}, 64}, {{40, 8}, 64}, {{12, 300}, 4}}) {
    BatchWriter r(ranks);
    const View table = r.existing(extents);
    r.call(Op::sum, Shape(extents.begin() + 1, extents.end()), Dtype::float64, {table}, {0});
    const auto plan = r.plan();
    const auto whole = distribution::default_layout(extents, ranks);
    EXPECT_EQ(std::get<FoldBlocks>(plan.steps[0].body).values.iterations.axes[0].parts, whole.axes[0].parts)
        << "each reads its own rows, or pieces would be small\n"
        << dump(plan);
  }
}

TEST(PlanOfFolds, rows_that_a_search_reads_stay_in_cache) {
  BatchWriter r(2);
  View distances = r.existing({4000, 4000});
  for (int k = 0; k < 2; ++k) {
    distances = r.compute(Op::sqrt, {distances});
    r.call(Op::argmin, {4000, 1}, Dtype::int64, {distances}, {1});
  }
  const auto plan = r.plan();
  ASSERT_TRUE(std::holds_alternative<RowChain>(plan.steps[0].body)) << dump(plan);
  EXPECT_EQ(dump(plan).find("past the cache"), std::string::npos) << dump(plan);
}

TEST(PlanOfFolds, few_partials_are_folded_at_once) {
  BatchWriter r(4);
  r.sum(r.existing({4096 * 4096}));
  EXPECT_EQ(r.plan().steps.size(), 2U) << dump(r.plan());
}

TEST(PlanOfFolds, a_sweep_and_the_norm_of_its_change_are_one_pass_wherever_rows_are_cut) {
  for (const std::int64_t n : {200, 300, 700, 1024, 1999, 2048, 3000, 4096})
    for (const int ranks : {1, 2, 3, 4, 7}) {
      BatchWriter r(ranks);
      const View grid = r.existing({n, n});
      const View old = r.compute(Op::copy, {grid});
      record_jacobi(r, grid, n);
      const View change = r.compute(Op::subtract, {grid, old});
      r.sum(r.compute(Op::square, {change}));
      const auto plan = r.plan();
      const auto* fold = std::get_if<FoldBlocks>(&plan.steps[0].body);
      ASSERT_TRUE(fold && fold->values.interior) << n << " on " << ranks << " ranks\n" << dump(plan);
    }
}

}  // namespace
}  // namespace gamelan::engine::plan
