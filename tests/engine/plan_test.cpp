// SPDX-License-Identifier: BSD-3-Clause
// What the planner makes of typical cells: how many passes over memory, what is stored, what is read from
// neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

template <class Body>
int count(const Plan& plan) {
  return static_cast<int>(std::count_if(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<Body>(step.body);
  }));
}

int stores(const Plan& plan) {
  int found = 0;
  for (const auto& step : plan.steps)
    if (const auto* fused = std::get_if<FusedLoop>(&step.body))
      for (const auto& instruction : fused->program.code)
        found += instruction.kind == Instruction::Kind::store;
  return found;
}

TEST(Plan, sweeps_that_nobody_looks_at_are_a_wavefront_over_two_blocks) {
  for (const int ranks : {1, 2}) {
    BatchWriter r(ranks);
    const View u = r.existing({1000, 1000});
    for (int sweep = 0; sweep < 5; ++sweep) record_jacobi(r, u, 1000);
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), ranks == 1 ? 1U : 2U) << dump(plan);
    const auto& parts = *std::get<Wavefront>(plan.steps[0].body).parts;
    ASSERT_EQ(parts.size(), 5U);
    std::set<int> slots;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      EXPECT_EQ(parts[p].skew, static_cast<std::int64_t>(p));
      EXPECT_EQ(parts[p].top, ranks == 1 ? 0 : static_cast<std::int64_t>(p) + 1);
      EXPECT_EQ(parts[p].bottom, parts[p].top);
      EXPECT_EQ(loop_of(parts[p].pass).carries.size(), p == 0 ? 1U : 0U);
      for (const auto& operand : loop_of(parts[p].pass).operands) slots.insert(operand.slot);
    }
    EXPECT_EQ(slots.size(), 2U) << dump(plan);
    EXPECT_EQ(plan.steps[0].allocates.size(), 1U);
    EXPECT_EQ(plan.steps.back().releases.size(), 1U);
    EXPECT_EQ(plan.steps.back().commands.size(), 25U);
  }
}

TEST(Plan, no_wavefront_where_it_would_not_help_or_is_not_possible) {
  const auto count_of = [](std::int64_t n, int ranks, std::set<std::string> disabled, bool looks) {
    BatchWriter r(ranks, std::move(disabled));
    const View u = r.existing({n, n});
    for (int sweep = 0; sweep < 3; ++sweep) {
      record_jacobi(r, u, n);
      if (looks) r.sum(u);
    }
    return count<Wavefront>(r.plan());
  };
  EXPECT_EQ(count_of(700, 1, {}, false), 1);
  EXPECT_EQ(count_of(700, 1, {"tile_time"}, false), 0);
  EXPECT_EQ(count_of(700, 1, {}, true), 0);
  EXPECT_EQ(count_of(300, 1, {}, false), 0) << "it stays in cache";
  EXPECT_EQ(count_of(700, 64, {}, false), 0) << "blocks of a few rows";
  BatchWriter r(4);
  r.see_nodes(0, 2);
  const View u = r.existing({2000, 2000});
  for (int sweep = 0; sweep < 3; ++sweep) record_jacobi(r, u, 2000);
  EXPECT_EQ(count<Wavefront>(r.plan()), 0) << "several nodes";
}

TEST(Plan, a_jacobi_sweep_is_one_pass_into_a_fresh_version) {
  for (const int ranks : {1, 2, 3, 4, 6}) {
    BatchWriter r(ranks);
    record_jacobi(r, r.existing({700, 700}), 700);
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), 1U) << dump(plan);
    const auto& fused = std::get<FusedLoop>(plan.steps[0].body);
    EXPECT_EQ(fused.carries.size(), 1U);
    EXPECT_EQ(stores(plan), 1);
    EXPECT_EQ(plan.steps[0].allocates.size(), 1U);
    EXPECT_EQ(plan.steps[0].releases.size(), 1U);  // the old version
  }
}

TEST(Plan, sweeps_in_a_loop_stay_one_pass_each) {
  BatchWriter r(4);
  const View u = r.existing({700, 700});
  for (int sweep = 0; sweep < 10; ++sweep) record_jacobi(r, u, 700);
  EXPECT_EQ(r.plan().steps.size(), 10U);
}

TEST(Plan, without_versions_the_value_is_computed_aside) {
  BatchWriter r(2, {"version"});
  record_jacobi(r, r.existing({700, 700}), 700);
  const auto plan = r.plan();
  EXPECT_EQ(plan.steps.size(), 2U) << dump(plan);
  for (const auto& step : plan.steps) EXPECT_TRUE(std::get<FusedLoop>(step.body).carries.empty());
}

TEST(Plan, without_fusion_every_command_is_a_step) {
  BatchWriter r(2, {"fuse", "tile_time"});
  record_jacobi(r, r.existing({700, 700}), 700);
  EXPECT_EQ(r.plan().steps.size(), 5U);
}

TEST(Plan, a_sum_over_an_expression_keeps_no_temporary) {
  BatchWriter r(3);
  const View a = r.existing({1000, 100}), b = r.existing({1000, 100});
  const View d = r.compute(Op::subtract, {a, b});
  r.sum(r.compute(Op::multiply, {d, d}));
  const auto plan = r.plan();
  ASSERT_EQ(plan.steps.size(), 2U) << dump(plan);
  EXPECT_EQ(count<FoldBlocks>(plan), 1);
  EXPECT_EQ(count<FoldFinish>(plan), 1);
}

TEST(Plan, a_flat_view_of_a_matrix_is_summed_as_it_lies) {
  BatchWriter r(3);
  const View a = r.existing({1000, 100});
  View flat = a;
  flat.extents = {100'000};
  flat.strides = {8};
  r.sum(r.compute(Op::multiply, {flat, flat}));
  const auto plan = r.plan();
  EXPECT_EQ(count<Gather>(plan), 0) << dump(plan);
  EXPECT_EQ(std::get<FoldBlocks>(plan.steps[0].body).extents, (Shape{1000, 100}));
}

TEST(Plan, what_is_wanted_is_stored_what_is_dead_is_not) {
  BatchWriter r(2);
  const View a = r.existing({100, 100});
  const View kept = r.compute(Op::add, {a, number(1)}, false);
  r.compute(Op::multiply, {kept, number(2)});  // nobody reads it
  const auto plan = r.plan();
  EXPECT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(stores(plan), 1);
}

TEST(Plan, a_small_overlapping_write_does_not_copy_the_array) {
  BatchWriter r(4);
  View u = r.existing({1'000'000});
  View to = u, from = u;
  to.extents = from.extents = {10};
  to.offset = 8;
  r.assign(to, from);
  const auto plan = r.plan();
  ASSERT_EQ(plan.steps.size(), 2U);
  for (const auto& slot : plan.slots)
    if (!slot.is_input) {
      EXPECT_LE(block_bytes(slot), 80U);
    }
}

TEST(Plan, a_diagonal_is_read_where_it_lies) {
  BatchWriter r(4);
  const View a = r.existing({100, 100});
  View diagonal = a;
  diagonal.extents = {100};
  diagonal.strides = {808};
  r.compute(Op::add, {diagonal, number(1)}, false);
  EXPECT_EQ(count<Gather>(r.plan()), 0);
}

TEST(Plan, windows_that_slide_are_gathered) {
  BatchWriter r(4);
  View windows = r.existing({10'000});
  windows.extents = {9'996, 5};
  windows.strides = {8, 8};
  r.compute(Op::add, {windows, number(1)}, false);
  EXPECT_EQ(count<Gather>(r.plan()), 1);
}

TEST(Plan, a_pooling_leaves_its_array_as_it_is) {
  for (const int ranks : {1, 2, 3, 4}) {
    BatchWriter r(ranks);
    View pool = r.existing({840, 840});
    pool.extents = {420, 2, 420, 2};
    pool.strides = {2 * 840 * 8, 840 * 8, 16, 8};
    r.compute(Op::add, {pool, number(1)}, false);
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), 1U) << dump(plan);
    EXPECT_EQ(plan.slots[0].info.extents, (Shape{840, 840}));
  }
}

TEST(Plan, an_array_cut_between_pairs_of_rows_suits_both_shapes) {
  BatchWriter r(3);
  const View a = r.existing({1400, 1400});  // cut at 466 and 933
  View pool = a;
  pool.extents = {700, 2, 700, 2};
  pool.strides = {2 * 1400 * 8, 1400 * 8, 16, 8};
  r.compute(Op::add, {pool, number(1)}, false);
  r.compute(Op::subtract, {part(a, 1, 1400, 0, 1400), part(a, 0, 1399, 0, 1400)}, false);
  const auto plan = r.plan();
  EXPECT_EQ(count<Gather>(plan), 1) << dump(plan);  // stored anew once
  EXPECT_EQ(plan.slots[1].info.extents, (Shape{1400, 1400}));
  EXPECT_EQ(plan.slots[1].info.layout.axes[0].cut(1) % 2, 0);
}

TEST(Plan, a_new_array_is_cut_for_how_it_is_looked_at) {
  BatchWriter r(3);
  const View a = r.existing({1400, 1400});
  View pool = r.compute(Op::add, {a, number(1)}, false);
  pool.extents = {700, 2, 700, 2};
  pool.strides = {2 * 1400 * 8, 1400 * 8, 16, 8};
  r.compute(Op::multiply, {pool, number(2)}, false);
  EXPECT_EQ(count<Gather>(r.plan()), 0);
}

TEST(Plan, an_array_looked_at_by_rows_is_cut_between_rows) {
  BatchWriter r(4);
  const View flat = r.existing({10'000});
  View rows = flat;
  rows.extents = {98, 98};
  rows.strides = {800, 8};
  rows.offset = 808;
  r.compute(Op::add, {rows, number(1)}, false);
  const auto plan = r.plan();
  ASSERT_EQ(plan.steps.size(), 2U) << dump(plan);  // stored anew once, then a box
  EXPECT_EQ(plan.slots[1].info.layout.axes[0].unit % 100, 0);
}

TEST(Plan, reductions_and_what_they_reduce_are_one_pass) {
  for (const int ranks : {1, 2, 3, 4}) {
    BatchWriter r(ranks);
    const View a = r.existing({100'000});
    const View b = r.compute(Op::multiply, {a, a}, false);  // is wanted afterwards, so the pass stores it
    r.sum(b);
    r.sum(r.compute(Op::add, {b, number(1)}));
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), 3U) << dump(plan);  // the pass, and a finish for each sum
    const auto& fold = std::get<FoldBlocks>(plan.steps[0].body);
    EXPECT_EQ(fold.folds.size(), 2U);
    const auto is_stored = [](const plan::Operand& operand) {
      return operand.source == plan::Operand::Source::slot && operand.is_written;
    };
    EXPECT_EQ(std::count_if(fold.values.operands.begin(), fold.values.operands.end(), is_stored), 1);
  }
}

TEST(Plan, a_stencil_is_reduced_where_it_is_computed) {
  BatchWriter r(4);
  const View u = r.existing({700, 700});
  const View a = r.compute(Op::add, {part(u, 0, 698, 1, 699), part(u, 2, 700, 1, 699)}, false);
  r.sum(r.compute(Op::subtract, {a, part(u, 1, 699, 1, 699)}));
  EXPECT_EQ(r.plan().steps.size(), 2U) << dump(r.plan());
}

TEST(Plan, a_copy_takes_over_what_a_write_leaves_behind) {
  for (const int ranks : {1, 3}) {
    BatchWriter r(ranks, {"interior"});
    const View u = r.existing({700, 700});
    const View old = r.compute(Op::copy, {u}, false);
    record_jacobi(r, u, 700);
    r.sum(r.compute(Op::subtract, {u, old}));
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), 3U) << dump(plan);  // the stencil, and the two halves of the sum
    ASSERT_EQ(plan.steps[0].hands_over.size(), 1U);
    EXPECT_EQ(plan.steps[0].hands_over[0].to, old.base);
    EXPECT_TRUE(plan.steps[0].releases.empty()) << "the copy lives on";
    EXPECT_NE(std::find(plan.steps[0].commands.begin(), plan.steps[0].commands.end(), 0),
              plan.steps[0].commands.end());
  }
}

TEST(Plan, the_interior_of_a_grid_and_all_of_it_are_one_pass) {
  for (const int ranks : {1, 3}) {
    BatchWriter r(ranks);
    const View u = r.existing({700, 700});
    const View old = r.compute(Op::copy, {u}, false);
    record_jacobi(r, u, 700);
    const View change =
        r.compute(Op::subtract, {u, old}, false);  // is wanted afterwards: both programs store it
    r.sum(change);
    const auto plan = r.plan();
    ASSERT_EQ(plan.steps.size(), 2U) << dump(plan);
    const auto& pass = std::get<FoldBlocks>(plan.steps[0].body).values;
    ASSERT_TRUE(pass.interior);
    EXPECT_EQ(pass.interior->iterations.extents(), (Shape{698, 698}));
    EXPECT_EQ(pass.interior_first, (Shape{1, 1}));
    const auto written = [](const FusedLoop& fused) {
      return std::count_if(fused.operands.begin(), fused.operands.end(),
                           [](const auto& operand) { return operand.is_written; });
    };
    EXPECT_EQ(written(pass), 2);            // the change, and the values of the sum
    EXPECT_EQ(written(*pass.interior), 3);  // and the grid
  }
}

TEST(Plan, a_write_that_is_no_box_of_what_is_read_stays_apart) {
  BatchWriter r(2);
  const View u = r.existing({700, 700});
  View rows = part(u, 0, 350, 0, 700);
  rows.strides[0] *= 2;  // u[::2]
  r.assign(rows, r.existing({350, 700}));
  r.sum(u);
  EXPECT_EQ(r.plan().steps.size(), 3U) << dump(r.plan());
}

TEST(Plan, only_exact_divisions_become_multiplications) {
  for (const auto& [divisor, is_exact] : {std::pair{4.0, true},
                                          {-0.5, true},
                                          {3.0, false},
                                          {0.0, false},
                                          {0x1p-1040, false},
                                          {0x1p1023, false},
                                          {std::numeric_limits<double>::infinity(), false}}) {
    BatchWriter r(2);
    r.compute(Op::divide, {r.existing({1000}), number(divisor)}, false);
    const auto& code = std::get<FusedLoop>(r.plan().steps[0].body).program.code;
    const auto multiplies = [](const Instruction& each) {
      return each.kind == Instruction::Kind::compute && each.op == Op::multiply;
    };
    EXPECT_EQ(std::any_of(code.begin(), code.end(), multiplies), is_exact) << divisor;
  }
}

TEST(Plan, a_small_box_is_no_interior) {
  BatchWriter r(2);
  const View u = r.existing({700, 700});
  r.assign(part(u, 0, 10, 0, 700), r.existing({10, 700}));
  r.sum(u);
  EXPECT_EQ(r.plan().steps.size(), 3U) << dump(r.plan());
}

TEST(Plan, a_copy_that_is_written_is_copied) {
  BatchWriter r(2);
  const View u = r.existing({700, 700});
  const View old = r.compute(Op::copy, {u}, false);
  record_jacobi(r, u, 700);
  r.assign(part(old, 0, 10, 0, 10), part(u, 0, 10, 0, 10));
  const auto plan = r.plan();
  for (const auto& step : plan.steps) EXPECT_TRUE(step.hands_over.empty()) << dump(plan);
}

}  // namespace
}  // namespace gamelan::engine::plan
