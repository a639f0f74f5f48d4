// SPDX-License-Identifier: BSD-3-Clause
// The compiled tier where random programs seldom go: more values than registers, early exits, stores past the
// cache at any alignment, every length of a rest.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/jit/exits.hpp"
#include "engine/tiles/tile_trace.hpp"
#include "engine/tiles/tile_translation.hpp"
#include "tests/engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {
namespace {

class Compiled : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (best_isa() < GetParam()) GTEST_SKIP() << "not on this processor";
    set_isa(GetParam());
    set_compiling(Compiling::always);
    if (compiling() != Compiling::always) GTEST_SKIP() << "no programs are compiled";
  }
  void TearDown() override {
    if (compiling() == Compiling::always) {
      EXPECT_GT(programs_compiled(), before_) << "nothing was compiled";
    }
    set_compiling(Compiling::hot);
    set_isa(best_isa());
  }

  static jit::InstructionSet set() {
    return GetParam() == Isa::avx2 ? jit::InstructionSet::avx2 : jit::InstructionSet::avx512;
  }

 private:
  std::uint64_t before_ = programs_compiled();
};

/// Operands of doubles, each `offset` elements into its memory; runs the program on them and one element at a
/// time.
class Comparison {
 public:
  Comparison(const Program& program, std::int64_t count, std::int64_t offset) : offset_(offset) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> numbers(-2, 2);
    for (std::size_t k = 0; k < program.operands.size(); ++k) {
      got_.emplace_back(static_cast<std::size_t>(count + offset + 8));
      for (double& each : got_.back()) each = numbers(random);
    }
    expected_ = got_;
    Runner runner(program);
    const Shape extents{count}, first{0}, strides{sizeof(double)};
    const auto pointers = [&](auto& operands) {
      std::vector<Pointer> result;
      for (auto& each : operands)
        result.push_back({reinterpret_cast<std::byte*>(each.data() + offset_), strides.data()});
      return result;
    };
    const auto expected = pointers(expected_), got = pointers(got_);
    run_naively(program, {extents, first, extents, expected});
    runner.run({extents, first, extents, got});
  }

  void check() const {
    for (std::size_t k = 0; k < got_.size(); ++k)
      ASSERT_EQ(std::memcmp(got_[k].data(), expected_[k].data(), got_[k].size() * sizeof(double)), 0)
          << "operand " << k;
  }

 private:
  std::int64_t offset_;
  std::vector<std::vector<double>> got_, expected_;
};

/// What was made of a program, its operands being contiguous.
std::size_t pieces_of_code(const Program& program) {
  std::vector<OperandTraits> traits(program.operands.size());
  for (std::size_t k = 0; k < traits.size(); ++k) {
    traits[k].is_contiguous = true;
    traits[k].alias = static_cast<int>(k);
  }
  return Translation::of(program)->find(traits)->codes.size();
}

TEST_P(Compiled, more_values_than_registers) {
  constexpr int values = 70;
  Program program;
  program.operands.assign(values + 1, Dtype::float64);
  program.registers.assign(values + 1, Dtype::float64);
  for (int k = 0; k < values; ++k) program.code.push_back(load(k, k, Dtype::float64));
  // Every value is changed, all are alive, and the last is wanted first.
  for (int k = 0; k < values; ++k)
    program.code.push_back(compute(Op::multiply, Dtype::float64, k, k, (k + 1) % values));
  program.code.push_back(compute(Op::sqrt, Dtype::float64, values, 0));
  for (int k = values; k-- > 0;)
    program.code.push_back(compute(Op::subtract, Dtype::float64, values, values, k));
  program.code.push_back(store(values, values));
  Comparison(program, 1000, 0).check();
  EXPECT_EQ(pieces_of_code(program), 1U);
}

TEST_P(Compiled, more_conditions_than_mask_registers) {
  constexpr int conditions = 12;
  Program program;
  program.operands = {Dtype::float64, Dtype::float64, Dtype::float64};
  program.registers = {Dtype::float64, Dtype::float64};
  program.code = {load(0, 0, Dtype::float64), load(1, 1, Dtype::float64)};
  for (int k = 0; k < conditions; ++k) {
    program.registers.push_back(Dtype::float64);
    program.registers.push_back(Dtype::bool_);
    program.code.push_back(constant(k / 4.0 - 1.0, 2 + 2 * k, Dtype::float64));
    program.code.push_back(compute(Op::less, Dtype::float64, 3 + 2 * k, 0, 2 + 2 * k));
  }
  for (int k = conditions; k-- > 0;)
    program.code.push_back(compute(Op::where, Dtype::float64, 0, 3 + 2 * k, 1, 0));
  for (int k = 0; k < conditions; ++k)
    program.code.push_back(compute(Op::where, Dtype::float64, 1, 3 + 2 * k, 0, 1));
  program.code.push_back(store(0, 2));
  program.code.push_back(store(1, 1));
  Comparison(program, 777, 0).check();
}

TEST_P(Compiled, every_length_at_every_alignment_past_the_cache) {
  Program program;
  program.operands.assign(4, Dtype::float64);
  program.registers.assign(3, Dtype::float64);
  program.code = {load(0, 0, Dtype::float64),
                  load(1, 1, Dtype::float64),
                  compute(Op::add, Dtype::float64, 2, 0, 1),
                  compute(Op::divide, Dtype::float64, 0, 2, 1),
                  store(2, 2),
                  store(0, 3)};
  for (auto& each : program.code) each.streams = each.kind == Kind::store || each.kind == Kind::load;
  for (std::int64_t count = 1; count < 60; ++count)
    for (std::int64_t offset = 0; offset < 9; ++offset) Comparison(program, count, offset).check();
}

TEST_P(Compiled, one_operation_where_its_result_is_stored_past_the_cache) {
  const auto sum = [](bool streams) {
    Program program;
    program.operands.assign(3, Dtype::float64);
    program.registers.assign(3, Dtype::float64);
    program.code = {load(0, 0, Dtype::float64), load(1, 1, Dtype::float64),
                    compute(Op::add, Dtype::float64, 2, 0, 1), store(2, 2)};
    program.code.back().streams = streams;
    return program;
  };
  for (const bool streams : {false, true}) {
    const Program program = sum(streams);
    Comparison(program, 1000, 0).check();
    EXPECT_EQ(pieces_of_code(program), streams ? 1U : 0U);
  }
}

/// Turns of the Mandelbrot set: z = z * z + c where abs(z) <= 2, and how many there were.
Program mandelbrot(int turns) {
  Program program;
  program.operands = {Dtype::float64, Dtype::float64, Dtype::float64, Dtype::float64};
  program.registers = {Dtype::float64, Dtype::float64, Dtype::float64, Dtype::float64,
                       Dtype::float64, Dtype::float64, Dtype::float64, Dtype::bool_,
                       Dtype::int64,   Dtype::int64,   Dtype::float64};
  enum { re, im, x, y, re2, im2, sum, inside, count, one, four };
  program.code = {load(0, re, Dtype::float64),      load(1, im, Dtype::float64),
                  load(2, x, Dtype::float64),       load(3, y, Dtype::float64),
                  constant(0, count, Dtype::int64), constant(4, four, Dtype::float64)};
  for (int turn = 0; turn < turns; ++turn) {
    const auto add = [&](Op op, int out, int a, int b, int c = -1) {
      program.code.push_back(compute(op, Dtype::float64, out, a, b, c));
    };
    add(Op::multiply, re2, re, re);
    add(Op::multiply, im2, im, im);
    add(Op::add, sum, re2, im2);
    add(Op::less_equal, inside, sum, four);
    program.code.push_back({.kind = Kind::cast, .loop = Dtype::int64, .out = one, .in = {inside, -1, -1}});
    program.code.push_back(compute(Op::add, Dtype::int64, count, count, one));
    add(Op::multiply, sum, re, im);
    add(Op::add, sum, sum, sum);
    add(Op::add, sum, sum, y);
    add(Op::subtract, re2, re2, im2);
    add(Op::add, re2, re2, x);
    add(Op::where, re, inside, re2, re);
    add(Op::where, im, inside, sum, im);
  }
  program.registers.push_back(Dtype::float64);
  program.code.push_back({.kind = Kind::cast, .loop = Dtype::float64, .out = 11, .in = {count, -1, -1}});
  program.code.push_back(store(11, 2));
  program.code.push_back(store(re, 0));
  program.code.push_back(store(im, 1));
  return program;
}

TEST_P(Compiled, no_exit_where_something_is_still_to_be_computed) {
  const Program program = mandelbrot(20);
  std::vector<OperandTraits> traits(4);
  for (std::size_t k = 0; k < traits.size(); ++k) {
    traits[k].is_contiguous = true;
    traits[k].alias = static_cast<int>(k);
  }
  const Renamed renamed = rename(program);
  const auto traces = find_traces(renamed, tiles::assign_storage(renamed, traits), set());
  ASSERT_EQ(traces.size(), 1U);
  EXPECT_TRUE(jit::find_exits(traces[0].trace).empty()) << "a conversion to float64 has no value yet";
  for (const std::int64_t count : {1, 7, 8, 9, 1000, 1024, 5000}) Comparison(program, count, 3).check();
}

TEST_P(Compiled, points_that_have_escaped_are_left) {
  Program program = mandelbrot(20);
  program.code.erase(program.code.end() - 4, program.code.end() - 2);  // the count is not stored
  const Renamed renamed = rename(program);
  std::vector<OperandTraits> traits(4);
  for (std::size_t k = 0; k < traits.size(); ++k) {
    traits[k].is_contiguous = true;
    traits[k].alias = static_cast<int>(k);
  }
  const auto traces = find_traces(renamed, tiles::assign_storage(renamed, traits), set());
  ASSERT_EQ(traces.size(), 1U);
  // After every condition but the first, where the count is not yet known, and the last, which saves too
  // little.
  EXPECT_GE(jit::find_exits(traces[0].trace).size(), 17U);
  for (const std::int64_t count : {1, 7, 8, 9, 1000, 1024, 5000}) Comparison(program, count, 3).check();
}

TEST_P(Compiled, programs_that_are_alike_share_their_code) {
  const auto scaled = [](double factor, int command) {
    Program program;
    program.operands.assign(2, Dtype::float64);
    program.registers.assign(3, Dtype::float64);
    program.code = {load(0, 0, Dtype::float64), constant(factor, 1, Dtype::float64),
                    compute(Op::multiply, Dtype::float64, 2, 0, 1), compute(Op::sqrt, Dtype::float64, 2, 2),
                    store(2, 1)};
    for (auto& each : program.code) each.command = command;
    return program;
  };
  const Program program = scaled(0.25, 1), again = scaled(0.25, 2), other = scaled(0.5, 1);
  Comparison(program, 3000, 0).check();
  const auto compiled = programs_compiled();
  Comparison(again, 3000, 0).check();
  EXPECT_EQ(programs_compiled(), compiled);
  Comparison(other, 3000, 0).check();
  EXPECT_EQ(programs_compiled(), compiled + 1);
  set_compiling(Compiling::off);
  const Program interpreted = scaled(0.25, 3);
  Comparison(interpreted, 3000, 0).check();
  EXPECT_EQ(pieces_of_code(interpreted), 0U);
  EXPECT_EQ(pieces_of_code(program), 0U);
}

INSTANTIATE_TEST_SUITE_P(, Compiled, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

}  // namespace
}  // namespace gamelan::engine::tiles
