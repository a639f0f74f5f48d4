// SPDX-License-Identifier: BSD-3-Clause
// The verifier of plans notices each kind of illegal plan: legal ones are spoilt here in one place.
#include <gtest/gtest.h>

#include <functional>

#include "engine/plan/passes/passes.hpp"
#include "tests/engine/batch_writer.hpp"

namespace gamelan::engine::plan {
namespace {

/// A sweep over a grid whose old version a copy takes over, and the norm of what changed. 4 ranks.
Plan laplace() {
  BatchWriter r(4);
  const View u = r.existing({700, 700});
  const View old = r.compute(Op::copy, {u});
  record_jacobi(r, u, 700);
  const View change = r.compute(Op::subtract, {u, old});
  r.sum(r.compute(Op::multiply, {change, change}));
  return r.plan();
}
Plan jacobi() {
  BatchWriter r(4);
  record_jacobi(r, r.existing({700, 700}), 700);
  return r.plan();
}
Plan three_passes() {
  BatchWriter r(4, {"fuse"});
  const View a = r.existing({700, 700});
  r.compute(Op::sqrt, {r.compute(Op::sqrt, {r.compute(Op::add, {a, a})})}, false);
  return r.plan();
}
Plan windows() {
  BatchWriter r(4);
  View view = r.existing({49'000});
  view.extents = {700, 70};
  view.strides = {8, 8};
  r.compute(Op::multiply, {view, number(2)}, false);
  return r.plan();
}

/// Searches of rows in a chain of rows, in which two arrays live.
Plan nearest() {
  BatchWriter r(4);
  const View a = r.compute(Op::sqrt, {r.existing({4000, 1000})});
  r.call(Op::argmin, {4000, 1}, Dtype::int64, {a}, {1});
  r.call(Op::argmin, {4000, 1}, Dtype::int64, {r.compute(Op::sqrt, {a})}, {1});
  return r.plan();
}

/// Sums that lie where their partials would, and one that does not: it is cast.
Plan row_sums() {
  BatchWriter r(4);
  const View a = r.existing({700, 700});
  r.call(Op::sum, {700}, Dtype::float64, {a}, {1});
  r.call(Op::sum, {700}, Dtype::float32, {a}, {1});
  return r.plan();
}

FusedLoop& loop(Plan& plan, std::size_t step = 0) { return std::get<FusedLoop>(plan.steps[step].body); }
FoldBlocks& fold(Plan& plan, std::size_t step = 0) { return std::get<FoldBlocks>(plan.steps[step].body); }
FusedLoop& interior(Plan& plan) { return const_cast<FusedLoop&>(*fold(plan).values.interior); }
Operand& read_by(FusedLoop& fused) {
  for (auto& operand : fused.operands)
    if (operand.source == Operand::Source::slot && !operand.is_written) return operand;
  throw std::logic_error("the loop reads nothing");
}
Operand& written_by(FusedLoop& fused) {
  for (auto& operand : fused.operands)
    if (operand.source == Operand::Source::slot && operand.is_written) return operand;
  throw std::logic_error("the loop writes nothing");
}
Instruction& first_of(FusedLoop& fused, Instruction::Kind kind) {
  for (auto& instruction : fused.program.code)
    if (instruction.kind == kind) return instruction;
  throw std::logic_error("the program has no such instruction");
}

struct Spoilt {
  const char* what;  ///< part of what the verifier must say
  Plan (*make)();
  std::function<void(Plan&)> spoil;
};

const std::vector<Spoilt>& spoilt_plans() {
  using Kind = Instruction::Kind;
  static const std::vector<Spoilt> all{
      // slots
      {"extents and layout differ", jacobi, [](Plan& p) { p.slots[0].info.extents = {700}; }},
      {"ranks that there are not", jacobi, [](Plan& p) { p.slots[0].info.layout.first_rank = 1; }},
      {"a second input", three_passes,
       [](Plan& p) {
         p.slots[1].is_input = true;
         p.slots[1].array = p.slots[0].array;
       }},
      {"allocates s99, which there is not", jacobi, [](Plan& p) { p.steps[0].allocates = {99}; }},
      {"which was there before", jacobi, [](Plan& p) { p.steps[0].allocates.push_back(0); }},
      {"which nobody has allocated", three_passes, [](Plan& p) { p.steps[0].allocates.clear(); }},
      {"uses s99, which there is not", three_passes, [](Plan& p) { read_by(loop(p)).slot = 99; }},
      {"after its release", three_passes,
       [](Plan& p) {
         p.steps[0].releases = {p.steps[0].allocates[0]};
         p.steps[1].releases.clear();
       }},
      {"which nobody has written", three_passes,
       [](Plan& p) {  // reads in the step that only now makes it
         read_by(loop(p, 1)).slot = p.steps[1].allocates[0];
       }},
      {"and does not write it", three_passes,
       [](Plan& p) {
         const auto spare = static_cast<int>(p.slots.size());
         p.slots.push_back(p.slots[1]);
         p.steps[0].allocates.push_back(spare);
       }},
      {"which it has not allocated", three_passes, [](Plan& p) { p.steps[1].binds.push_back(0); }},
      {"which is not alive", three_passes,
       [](Plan& p) { p.steps[1].releases.push_back(p.steps[1].releases.at(0)); }},
      {"releases s99", three_passes, [](Plan& p) { p.steps[0].releases.push_back(99); }},
      {"superseded or another array's", three_passes,
       [](Plan& p) {  // the first step makes a new version of what the second writes
         p.slots[2].array = p.slots[0].array;
         p.steps[1].body = p.steps[0].body;
         written_by(loop(p, 1)).slot = 2;
         loop(p, 1).operands.push_back(written_by(loop(p, 1)));
         loop(p, 1).operands.back().slot = 0;
         loop(p, 1).program.operands.push_back(Dtype::float64);
         p.steps[0].allocates.push_back(2);
         p.steps[0].binds.push_back(2);
         loop(p).operands.push_back(written_by(loop(p)));
         loop(p).operands.back().slot = 2;
         loop(p).program.operands.push_back(Dtype::float64);
         p.steps[1].allocates.clear();
         p.steps[1].binds.clear();
         p.steps[1].releases.clear();
       }},
      {"its array's only version", three_passes,
       [](Plan& p) {
         p.steps[0].hands_over.push_back({p.steps[0].allocates[0], 77});
       }},
      {"is never bound to its array", three_passes,
       [](Plan& p) {
         for (auto& step : p.steps) step.binds.clear();
       }},
      {"is superseded, and is not released", jacobi, [](Plan& p) { p.steps[0].releases.clear(); }},
      {"is of a temporary, and is not released", laplace,
       [](Plan& p) {
         for (auto& step : p.steps)
           std::erase_if(step.releases,
                         [&](int slot) { return p.slots[static_cast<std::size_t>(slot)].array >> 63; });
       }},
      // operands
      {"takes elements of", jacobi, [](Plan& p) { read_by(loop(p)).placement.item_bytes = 4; }},
      {"for larger or smaller", jacobi,
       [](Plan& p) { read_by(loop(p)).placement.base.axes[0].extent = 800; }},
      {"over the end of its slot", jacobi,
       [](Plan& p) { read_by(loop(p)).placement.map.axes[0].start += 3; }},
      {"over the end of its slot", jacobi, [](Plan& p) { read_by(loop(p)).placement.map.axes[1].step = 2; }},
      {"other axes than its iterations", jacobi,
       [](Plan& p) { read_by(loop(p)).placement.map.axes.pop_back(); }},
      {"other extents than the loop", jacobi, [](Plan& p) { loop(p).iterations.axes[0].extent -= 1; }},
      {"where another rank has it", jacobi, [](Plan& p) { written_by(loop(p)).may_be_remote = true; }},
      {"for local, which lies elsewhere", jacobi,
       [](Plan& p) {
         for (auto& operand : loop(p).operands) operand.may_be_remote = false;
       }},
      {"a view reaches over the end", windows,
       [](Plan& p) { std::get<Gather>(p.steps[0].body).view.extents[0] = 49'000; }},
      // programs
      {"other operands than its loop", jacobi, [](Plan& p) { loop(p).program.operands.pop_back(); }},
      {"is read before it is written", jacobi,
       [](Plan& p) {
         auto& fused = loop(p);
         first_of(fused, Kind::compute).in[0] = fused.program.code.back().in[0];
       }},
      {"is read before it is written", jacobi, [](Plan& p) { first_of(loop(p), Kind::store).in[0] = 999; }},
      {"no register for its result", jacobi, [](Plan& p) { first_of(loop(p), Kind::compute).out = 999; }},
      {"an instruction has no operand", jacobi, [](Plan& p) { first_of(loop(p), Kind::load).operand = 99; }},
      {"only read", jacobi,
       [](Plan& p) {
         auto& fused = loop(p);
         first_of(fused, Kind::store).operand = first_of(fused, Kind::load).operand;
       }},
      {"values are for no fold", laplace,
       [](Plan& p) {
         for (auto& operand : fold(p).values.operands)
           if (operand.source == Operand::Source::scratch) operand.fold = 1;
       }},
      // interiors
      {"over the end of the iterations", laplace, [](Plan& p) { fold(p).values.interior_first[0] = 3; }},
      {"an interior has other axes", laplace, [](Plan& p) { fold(p).values.interior_first.pop_back(); }},
      {"an interior has an interior", laplace, [](Plan& p) { interior(p).carries = fold(p).values.carries; }},
      // reductions
      {"along a kept axis", laplace,
       [](Plan& p) {
         fold(p).reduced[0] = false;
         fold(p).block_extents[0] = 2;
       }},
      {"do not make up the whole", laplace, [](Plan& p) { fold(p).block_extents[1] /= 2; }},
      {"one for each block", laplace, [](Plan& p) { fold(p).is_complete = true; }},
      {"axes of several kinds", laplace, [](Plan& p) { fold(p).reduced.pop_back(); }},
      {"another dtype than their fold", laplace, [](Plan& p) { fold(p).folds[0].loop = Dtype::float32; }},
      {"one for each block", laplace, [](Plan& p) { fold(p).folds[0].is_result = true; }},
      {"a result lies otherwise", row_sums, [](Plan& p) { fold(p).kept.axes[0].unit = 7; }},
      {"not those of the result", laplace,
       [](Plan& p) { std::get<FoldFinish>(p.steps.back().body).kept_axes = 1; }},
      // chains of rows
      {"are taken for all", nearest, [](Plan& p) { std::get<RowChain>(p.steps[0].body).passing.pop_back(); }},
      {"no room for rows", nearest, [](Plan& p) { std::get<RowChain>(p.steps[0].body).together += 1; }},
      {"outlives its chain", nearest,
       [](Plan& p) {
         p.steps[0].releases.clear();
         for (auto& slot : p.slots) slot.array &= ~(std::uint64_t{1} << 63);
       }},
      // commands and messages
      {"after its last one", jacobi, [](Plan& p) { p.steps[0].commands.push_back(99); }},
      {"negative number of commands", jacobi, [](Plan& p) { p.steps[0].prefix = -2; }},
      {"which it does not read", jacobi,
       [](Plan& p) {
         find_remote_reads(p);
         p.steps[0].remote_reads.at(0).slot = written_by(loop(p)).slot;
       }},
  };
  return all;
}

TEST(Verify, legal_plans_have_no_fault) {
  for (const auto make : {laplace, jacobi, three_passes, windows, nearest, row_sums}) {
    auto plan = make();
    EXPECT_EQ(find_fault(plan, 4), std::nullopt);
    find_remote_reads(plan);
    EXPECT_EQ(find_fault(plan, 4), std::nullopt);
  }
}

TEST(Verify, takes_every_rank_count) {
  for (const int ranks : {1, 2, 3, 7}) {
    BatchWriter r(ranks);
    const View a = r.call(Op::copy, {1024, 512}, Dtype::float64, {number(1)});
    r.sum(r.compute(Op::multiply, {a, number(2)}));
    EXPECT_EQ(find_fault(r.plan(), ranks), std::nullopt);
  }
}

TEST(Verify, notices_each_kind_of_illegal_plan) {
  for (const auto& spoilt : spoilt_plans()) {
    auto plan = spoilt.make();
    spoilt.spoil(plan);
    const auto fault = find_fault(plan, 4);
    ASSERT_TRUE(fault) << spoilt.what;
    EXPECT_NE(fault->find(spoilt.what), std::string::npos) << *fault << ", expected: " << spoilt.what;
  }
}

}  // namespace
}  // namespace gamelan::engine::plan
