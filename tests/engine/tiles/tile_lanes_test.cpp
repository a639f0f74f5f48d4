// SPDX-License-Identifier: BSD-3-Clause
// Values that are folded while they are computed have the bits of values that are stored first and then
// folded by fold_runs: at any place of a row and of the lanes, with several folds and results.
#include "engine/tiles/tile_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

#include "engine/tiles/loops/fold.hpp"
#include "tests/engine/tiles/every_dtype.hpp"
#include "tests/engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {
namespace {

/// Operands: x, y (one element for each row), what the program writes, and the values of two folds: of
/// d = x - y the fold of d * d and of d itself.
Program differences(Dtype dtype) {
  return {{load(0, 0, dtype), load(1, 1, dtype), compute(Op::subtract, dtype, 2, 0, 1),
           compute(Op::multiply, dtype, 3, 2, 2), store(2, 2), store(3, 3), store(2, 4)},
          std::vector<Dtype>(4, dtype),
          std::vector<Dtype>(5, dtype)};
}

struct Case {
  Dtype dtype{};
  std::int64_t rows = 0, columns = 0;  // of the memory
  std::int64_t first = 0, last = 0;    // columns that are computed
  std::int64_t run_length = 0;
  bool is_row_apart = false;  // y differs from row to row
  bool streams = false;       // the result is stored past the cache, from a line of it on
};

class Lanes : public ::testing::Test {
 protected:
  void SetUp() override {
    set_compiling(Compiling::always);
    if (compiling() == Compiling::off) GTEST_SKIP() << "this processor runs no machine code of ours";
  }
  void TearDown() override { set_compiling(Compiling::hot); }

  /// False where LaneRunner leaves the case to two passes.
  bool check(const Case& of, std::span<const Op> ops) {
    const auto item = static_cast<std::int64_t>(protocol::size_of(of.dtype));
    const auto columns = of.last - of.first;
    const auto runs = (of.last + of.run_length - 1) / of.run_length;
    Buffer x = random_values(random_, of.dtype, elements(of.rows * of.columns), -2, 3);
    Buffer y = random_values(random_, of.dtype, elements(of.rows), -2, 3);
    constexpr std::size_t line = 64;
    Buffer out(x.size() + line), expected_out(x.size());
    auto* const result = out.data() + (line - reinterpret_cast<std::uintptr_t>(out.data()) % line);
    Buffer values[2]{Buffer(x.size()), Buffer(x.size())};
    Program program = differences(of.dtype);
    program.code[4].streams = of.streams;
    const LaneFold folds[]{{3, ops[0], of.dtype}, {4, ops[1], of.dtype}};
    EXPECT_TRUE(suits_lanes(program, folds));

    std::vector<std::int64_t> first_lanes(elements(runs), 0);
    first_lanes[elements(of.first / of.run_length)] = of.first % of.run_length % lane_count;
    Buffer lanes[2];
    for (int f = 0; f < 2; ++f) lanes[f] = neutral_lanes(ops[elements(f)], of.dtype, of.rows * runs);

    const Shape extents{of.rows, columns}, first{0, 0};
    const Shape table{of.columns * item, item}, one{of.is_row_apart ? item : 0, 0},
        of_lanes{runs * lane_count * item, 0};
    const auto begin = of.first * item;
    const Pointer two_passes[]{{x.data() + begin, table.data()},
                               {y.data(), one.data()},
                               {expected_out.data() + begin, table.data()},
                               {values[0].data() + begin, table.data()},
                               {values[1].data() + begin, table.data()}};
    Runner(program).run({extents, first, extents, two_passes});
    const Pointer at_once[]{{x.data() + begin, table.data()},
                            {y.data(), one.data()},
                            {result + begin, table.data()},
                            {lanes[0].data(), of_lanes.data()},
                            {lanes[1].data(), of_lanes.data()}};
    LaneRunner runner(program, folds);
    if (!runner.run({extents, first, extents, at_once}, {1, of.first, of.run_length, first_lanes}))
      return false;

    EXPECT_TRUE(std::equal(expected_out.begin(), expected_out.end(), result));
    for (int f = 0; f < 2; ++f)
      for (std::int64_t row = 0; row < of.rows; ++row)
        for (std::int64_t run = of.first / of.run_length; run < runs; ++run) {
          // All elements before the first count as such to which nothing has been added.
          const auto begins = std::max(of.first, run * of.run_length),
                     ends = std::min(of.last, (run + 1) * of.run_length);
          Buffer turned(elements(lane_count * item)), padded;
          const auto* in = lanes[f].data() + (row * runs + run) * lane_count * item;
          const auto turn = first_lanes[elements(run)];
          for (std::int64_t k = 0; k < lane_count; ++k)
            std::memcpy(&turned[elements((k + turn) % lane_count * item)], in + k * item, elements(item));
          padded = neutral_elements(ops[elements(f)], of.dtype, begins - run * of.run_length);
          const auto* from = values[f].data() + (row * of.columns + begins) * item;
          padded.insert(padded.end(), from, from + (ends - begins) * item);
          Buffer got(elements(item)), wanted(elements(item));
          fold_runs(ops[elements(f)], of.dtype, turned.data(), 1, lane_count, got.data());
          fold_runs(ops[elements(f)], of.dtype, padded.data(), 1, ends - run * of.run_length, wanted.data());
          EXPECT_EQ(got, wanted) << "fold " << f << ", row " << row << ", run " << run << " of columns "
                                 << of.first << " to " << of.last << ", runs of " << of.run_length;
        }
    return true;
  }

  void for_each_case();
  template <class T>
  void check_many_folds();
  static std::size_t elements(std::int64_t count) { return static_cast<std::size_t>(count); }
  static Buffer neutral_elements(Op op, Dtype dtype, std::int64_t count) {
    const double value = *neutral(op);
    Buffer result(elements(count) * protocol::size_of(dtype));
    find_cast(Dtype::float64, dtype)(reinterpret_cast<const std::byte*>(&value), 0, result.data(),
                                     static_cast<std::int64_t>(protocol::size_of(dtype)), elements(count));
    return result;
  }
  static Buffer neutral_lanes(Op op, Dtype dtype, std::int64_t runs) {
    return neutral_elements(op, dtype, runs * lane_count);
  }

  std::mt19937 random_{7};
};

TEST_F(Lanes, have_the_bits_of_two_passes) {
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    if (level == Isa::baseline) continue;  // no machine code
    SCOPED_TRACE(name(level));
    for_each_case();
  }
}

void Lanes::for_each_case() {
  for (const Dtype dtype : {Dtype::float64, Dtype::float32})
    for (const auto& ops : {std::array{Op::add, Op::maximum}, std::array{Op::minimum, Op::multiply}})
      for (const bool is_row_apart : {false, true})
        for (const std::int64_t run_length : {128, 350, 1000})
          for (const auto& [first, last] : {std::pair{0, 700},
                                            {1, 699},
                                            {0, 33},
                                            {31, 700},
                                            {350, 700},
                                            {129, 131},
                                            {5, 20},
                                            {0, 1},
                                            {699, 700}})
            EXPECT_TRUE(check({dtype, 3, 700, first, last, run_length, is_row_apart}, ops));
}

TEST_F(Lanes, are_folded_beside_stores_past_the_cache_where_rows_begin_lines) {
  const std::array ops{Op::add, Op::maximum};
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    if (level == Isa::baseline) continue;  // no machine code
    for (const Dtype dtype : {Dtype::float64, Dtype::float32}) {
      const auto in_line = [&](std::int64_t columns) {
        return columns * static_cast<std::int64_t>(protocol::size_of(dtype)) % 64 == 0;
      };
      for (const std::int64_t columns : {704, 712, 700})
        for (const std::int64_t first : {0, 16, 40, 128, 3})
          for (const std::int64_t last : {columns, std::int64_t{699}, first + 1})
            for (const std::int64_t run_length : {128, 352, 350, 1000}) {
              const auto runs = (last - 1) / run_length;  // behind the first
              const bool begins_lines =
                  in_line(columns) && in_line(first) && (runs == first / run_length || in_line(run_length));
              EXPECT_EQ(check({dtype, 3, columns, first, last, run_length, false, true}, ops), begins_lines)
                  << columns << " columns, " << first << " to " << last << ", runs of " << run_length;
            }
    }
  }
}

TEST_F(Lanes, are_left_alone_where_a_vector_would_reach_over_their_end) {
  const Program program = differences(Dtype::float64);
  const LaneFold folds[]{{3, Op::add, Dtype::float64}, {4, Op::add, Dtype::float64}};
  std::vector<double> x(200, 1.0), out(200), lanes(64, 3.0);
  const Shape extents{1, 100}, first{0, 0}, row{800, 8}, one{0, 0};
  const std::array<std::int64_t, 1> begins_with{0};
  const auto bytes = [](std::vector<double>& of) { return reinterpret_cast<std::byte*>(of.data()); };
  const Pointer operands[]{{bytes(x), row.data()},
                           {bytes(x) + 1000, one.data()},
                           {bytes(out), row.data()},
                           {bytes(lanes), one.data()},
                           {bytes(lanes) + 256, one.data()}};
  EXPECT_FALSE(LaneRunner(program, folds).run({extents, first, extents, operands}, {1, 3, 200, begins_with}));
  EXPECT_EQ(lanes, std::vector<double>(64, 3.0));
}

TEST_F(Lanes, are_not_for_programs_that_write_over_what_they_read) {
  const Program program = differences(Dtype::float64);
  const LaneFold folds[]{{3, Op::add, Dtype::float64}, {4, Op::add, Dtype::float64}};
  std::vector<double> x(200, 1.0), lanes(64, 3.0);
  const Shape extents{1, 100}, first{0, 0}, row{800, 8}, one{0, 0};
  const std::array<std::int64_t, 1> begins_with{0};
  const auto bytes = [](std::vector<double>& of) { return reinterpret_cast<std::byte*>(of.data()); };
  const Pointer operands[]{{bytes(x), row.data()},
                           {bytes(x) + 1000, one.data()},
                           {bytes(x), row.data()},
                           {bytes(lanes), one.data()},
                           {bytes(lanes) + 256, one.data()}};
  EXPECT_FALSE(LaneRunner(program, folds).run({extents, first, extents, operands}, {1, 0, 200, begins_with}));
  EXPECT_EQ(x, std::vector<double>(200, 1.0));
}

/// Each value is the one before it plus x. There are not registers for the lanes of so many folds: some have
/// them, the others stay in memory. (With AVX2 only lanes of float32 are ever in registers.)
template <class T>
void Lanes::check_many_folds() {
  constexpr int folds = 12;
  constexpr std::int64_t count = 999;
  constexpr Dtype dtype = sizeof(T) == 8 ? Dtype::float64 : Dtype::float32;
  Program program{{load(0, 0, dtype)}, {dtype}, {dtype}};
  std::vector<LaneFold> lane_folds;
  for (int f = 0; f < folds; ++f) {
    program.code.push_back(compute(Op::add, dtype, f + 1, f, 0));
    program.code.push_back(store(f + 1, f + 1));
    program.registers.push_back(dtype);
    program.operands.push_back(dtype);
    lane_folds.push_back({f + 1, f % 2 == 0 ? Op::add : Op::maximum, dtype});
  }
  std::vector<T> x(count);
  for (std::int64_t i = 0; i < count; ++i) x[elements(i)] = static_cast<T>(i * 7919 % 1000) / 999 - T{0.5};
  const Shape extents{1, count}, first{0, 0}, row{0, sizeof(T)};
  const std::array<std::int64_t, 1> begins_with{0};
  const LevelGuard guard;
  for (const Isa level : levels_here()) {
    set_isa(level);
    if (level == Isa::baseline) continue;  // no machine code
    SCOPED_TRACE(name(level));
    ASSERT_TRUE(suits_lanes(program, lane_folds));
    std::vector<std::vector<T>> lanes, expected;
    std::vector<Pointer> operands{{reinterpret_cast<std::byte*>(x.data()), row.data()}};
    for (const LaneFold& fold : lane_folds) {
      expected.emplace_back(lane_count, static_cast<T>(*neutral(fold.op)));
      lanes.push_back(expected.back());
      operands.push_back({reinterpret_cast<std::byte*>(lanes.back().data()), row.data()});
    }
    for (std::int64_t i = 0; i < count; ++i) {
      T value = x[elements(i)];
      for (int f = 0; f < folds; ++f) {
        value += x[elements(i)];
        T& lane = expected[elements(f)][elements(i % lane_count)];
        lane = f % 2 == 0 ? lane + value : std::max(lane, value);
      }
    }
    ASSERT_TRUE(
        LaneRunner(program, lane_folds).run({extents, first, extents, operands}, {1, 0, count, begins_with}));
    EXPECT_EQ(lanes, expected);
  }
}

TEST_F(Lanes, may_be_more_than_there_are_registers) {
  check_many_folds<double>();
  check_many_folds<float>();
}

TEST_F(Lanes, count_truth_values_and_add_whole_numbers) {
  constexpr std::int64_t count = 1001;
  std::vector<double> x(count), half(1, 0.5);
  std::vector<std::int64_t> whole(count), trues(lane_count), sums(lane_count);
  std::int64_t expected_trues = 0, expected_sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    x[elements(i)] = static_cast<double>(i * 7919 % 1000) / 1000;
    whole[elements(i)] = i * i - 300'000;
    expected_trues += x[elements(i)] > 0.5;
    expected_sum += 2 * whole[elements(i)];
  }
  const Program program{
      {load(0, 0, Dtype::float64), load(1, 1, Dtype::float64), compute(Op::greater, Dtype::float64, 2, 0, 1),
       store(2, 3), load(2, 3, Dtype::int64), compute(Op::add, Dtype::int64, 4, 3, 3), store(4, 4)},
      {Dtype::float64, Dtype::float64, Dtype::bool_, Dtype::int64, Dtype::int64},
      {Dtype::float64, Dtype::float64, Dtype::int64, Dtype::bool_, Dtype::int64}};
  const LaneFold folds[]{{3, Op::add, Dtype::int64}, {4, Op::add, Dtype::int64}};
  ASSERT_TRUE(suits_lanes(program, folds));
  const Shape extents{1, count}, first{0, 0}, row{0, 8}, one{0, 0};
  const auto bytes = [](auto& of) { return reinterpret_cast<std::byte*>(of.data()); };
  const Pointer operands[]{{bytes(x), row.data()},
                           {bytes(half), one.data()},
                           {bytes(whole), row.data()},
                           {bytes(trues), one.data()},
                           {bytes(sums), one.data()}};
  const std::array<std::int64_t, 1> begins_with{0};
  ASSERT_TRUE(
      LaneRunner(program, folds).run({extents, first, extents, operands}, {1, 0, count, begins_with}));
  EXPECT_EQ(std::accumulate(trues.begin(), trues.end(), std::int64_t{0}), expected_trues);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), expected_sum);
}

TEST_F(Lanes, suit_only_folds_and_programs_of_machine_code) {
  const auto folds = [](Op op, Dtype dtype) {
    return std::array{LaneFold{3, op, dtype}, LaneFold{4, Op::add, dtype}};
  };
  const auto sums = folds(Op::add, Dtype::float64);
  EXPECT_FALSE(suits_lanes(differences(Dtype::float64), folds(Op::fmax, Dtype::float64)));
  EXPECT_FALSE(suits_lanes(differences(Dtype::int32), folds(Op::add, Dtype::int32)));
  EXPECT_FALSE(suits_lanes(differences(Dtype::int64), folds(Op::maximum, Dtype::int64)));
  EXPECT_TRUE(suits_lanes(differences(Dtype::int64), folds(Op::add, Dtype::int64)));
  EXPECT_FALSE(suits_lanes(differences(Dtype::float64), {}));
  set_compiling(Compiling::off);
  EXPECT_FALSE(suits_lanes(differences(Dtype::float64), sums));
}

}  // namespace
}  // namespace gamelan::engine::tiles
