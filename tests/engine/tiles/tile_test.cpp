// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter on the shapes and programs that its short cuts are made for; tile_random_test.cpp does
// the rest.
#include "engine/tiles/tile_runner.hpp"

#include <gtest/gtest.h>

#include <set>

#include "protocol/error.hpp"
#include "tests/engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {
namespace {

/// y = a + b * 3 over plain arrays of n elements, at and around the tile size.
TEST(Tile, sizes_around_the_tile) {
  Program program{.code = {load(0, 0, Dtype::float64), load(1, 1, Dtype::float64),
                           constant(3, 2, Dtype::float64), compute(Op::multiply, Dtype::float64, 3, 1, 2),
                           compute(Op::add, Dtype::float64, 4, 0, 3), store(4, 2)},
                  .registers = std::vector<Dtype>(5, Dtype::float64),
                  .operands = std::vector<Dtype>(3, Dtype::float64)};
  Runner runner(program);
  for (const std::int64_t n : {0, 1, 7, 1023, 1024, 1025, 4094}) {
    std::vector<double> a(static_cast<std::size_t>(n)), b(a.size()), y(a.size() + 1, -1.0);
    for (std::size_t j = 0; j < a.size(); ++j)
      a[j] = static_cast<double>(j), b[j] = static_cast<double>(j % 13) / 3;
    const std::int64_t extents[] = {n}, first[] = {0}, strides[] = {8};
    const Pointer operands[] = {{reinterpret_cast<std::byte*>(a.data()), strides},
                                {reinterpret_cast<std::byte*>(b.data()), strides},
                                {reinterpret_cast<std::byte*>(y.data()), strides}};
    runner.run({extents, first, extents, operands});
    for (std::size_t j = 0; j < a.size(); ++j) ASSERT_EQ(y[j], a[j] + b[j] * 3) << n << " " << j;
    EXPECT_EQ(y.back(), -1.0);
  }
}

/// Runs a program on a cell and element by element, on equal copies of its memory.
void expect_as_naive(const Program& program, const Shape& extents, const std::vector<Shape>& strides,
                     std::vector<std::vector<double>> memory) {
  auto expected = memory;
  const Shape first(extents.size(), 0);
  const auto pointers = [&](std::vector<std::vector<double>>& from) {
    std::vector<Pointer> result;
    for (std::size_t k = 0; k < from.size(); ++k) {
      result.push_back({reinterpret_cast<std::byte*>(from[k].data()), strides[k].data()});
    }
    return result;
  };
  const auto got_at = pointers(memory), expected_at = pointers(expected);
  Runner(program).run({extents, first, extents, got_at});
  run_naively(program, {extents, first, extents, expected_at});
  EXPECT_EQ(memory, expected);
}

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = static_cast<double>(k % 1009) / 8 - 30;
  return result;
}

Program sum_of_two() {
  const Dtype f8 = Dtype::float64;
  return {.code = {load(0, 0, f8), load(1, 1, f8), compute(Op::add, f8, 2, 0, 1), store(2, 2)},
          .registers = {f8, f8, f8},
          .operands = {f8, f8, f8}};
}

/// A constant may be an element in one cell and a whole tile in another; neither may lose it to the other.
TEST(Tile, a_constant_survives_cells_of_another_form) {
  const Dtype i8 = Dtype::int64;
  const Program program{.code = {load(0, 0, i8), constant(3, 1, i8), compute(Op::multiply, i8, 2, 0, 1),
                                 load(1, 3, i8), compute(Op::add, i8, 4, 2, 3), store(4, 2)},
                        .registers = std::vector<Dtype>(5, i8),
                        .operands = {i8, i8, i8}};
  Runner runner(program);
  for (const std::int64_t columns : {300, 1, 300, 1, 300}) {
    const std::int64_t rows = 4;
    std::vector<std::int64_t> x(rows), u(static_cast<std::size_t>(rows * columns)), y(u.size());
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<std::int64_t>(j) + 5;
    for (std::size_t j = 0; j < u.size(); ++j) u[j] = static_cast<std::int64_t>(j) * 7;
    const Shape extents{rows, columns}, first{0, 0}, of_rows{8, 0}, of_all{columns * 8, 8};
    const Pointer operands[] = {{reinterpret_cast<std::byte*>(x.data()), of_rows.data()},
                                {reinterpret_cast<std::byte*>(u.data()), of_all.data()},
                                {reinterpret_cast<std::byte*>(y.data()), of_all.data()}};
    runner.run({extents, first, extents, operands});
    for (std::size_t j = 0; j < y.size(); ++j)
      ASSERT_EQ(y[j], x[j / static_cast<std::size_t>(columns)] * 3 + u[j])
          << columns << " columns, element " << j;
  }
}

/// Cells of one form are planned once: they may lie elsewhere, run backwards, and share elements or not.
TEST(Tile, cells_of_one_form) {
  const Program program = sum_of_two();
  Runner runner(program);
  std::vector<double> memory(4000), expected;
  for (std::size_t j = 0; j < memory.size(); ++j) memory[j] = static_cast<double>(j * 7 % 31);
  expected = memory;
  const auto run = [&](std::array<std::size_t, 3> begins, std::int64_t columns, std::int64_t step) {
    const Shape extents{3, columns}, first{0, 0}, strides{800, 8 * step};
    const auto cell_in = [&](std::vector<double>& where, const auto& visit) {
      std::vector<Pointer> operands;
      for (const auto begin : begins)
        operands.push_back({reinterpret_cast<std::byte*>(where.data() + begin), strides.data()});
      visit(Cell{extents, first, extents, operands});
    };
    cell_in(memory, [&](const Cell& cell) { runner.run(cell); });
    cell_in(expected, [&](const Cell& cell) { run_naively(program, cell); });
    ASSERT_EQ(memory, expected) << begins[0] << " " << begins[1] << " " << begins[2] << " " << step;
  };
  for (const std::size_t shift : {0, 1, 5, 40}) {
    run({shift, 1000, 2000}, 50, 1);
    run({shift, 1000, 3000}, 50, 1);
    run({shift, 1000, shift}, 50, 1);  // in place
    run({shift, 1000, 1000}, 50, 1);   // in place of the other operand
    run({shift, shift, 2000}, 50, 1);  // one operand twice
    run({shift, shift, shift}, 50, 1);
    run({shift, 1000, 2000}, 49, 1);
    run({shift + 49, 1049, 2049}, 50, -1);
    run({shift + 49, 1049, shift + 49}, 50, -1);
  }
}

TEST(Tile, points_plus_a_shift) {
  for (const std::int64_t rows : {1, 341, 342, 1000}) {
    expect_as_naive(sum_of_two(), {rows, 3}, {{24, 8}, {0, 8}, {24, 8}},
                    {numbers(rows * 3), {1, 2, 3}, numbers(rows * 3)});
  }
}

TEST(Tile, rows_minus_their_means) {
  for (const std::int64_t columns : {3, 300, 2000}) {
    expect_as_naive(sum_of_two(), {40, columns}, {{columns * 8, 8}, {8, 0}, {columns * 8, 8}},
                    {numbers(40 * columns), numbers(40), numbers(40 * columns)});
  }
}

TEST(Tile, array_plus_its_transpose) {
  for (const std::int64_t side : {15, 16, 33, 100}) {
    expect_as_naive(sum_of_two(), {side, side}, {{side * 8, 8}, {8, side * 8}, {side * 8, 8}},
                    {numbers(side * side), numbers(side * side), numbers(side * side)});
  }
}

/// Square tiles are shorter along either axis at the edges; a column that all of them read has as many rows,
/// and other pitches there.
TEST(Tile, transposed_minus_a_column) {
  for (const std::int64_t rows : {16, 31, 32, 33, 64, 65}) {
    for (const std::int64_t columns : {32, 33, 63, 100, 600}) {
      expect_as_naive(sum_of_two(), {rows, columns}, {{8, rows * 8}, {8, 0}, {columns * 8, 8}},
                      {numbers(rows * columns), numbers(rows), numbers(rows * columns)});
      expect_as_naive(sum_of_two(), {3, rows, columns},
                      {{rows * columns * 8, 8, rows * 8}, {0, 8, 0}, {rows * columns * 8, columns * 8, 8}},
                      {numbers(3 * rows * columns), numbers(rows), numbers(3 * rows * columns)});
    }
  }
}

TEST(Tile, many_short_axes) {
  const Shape plain{1920, 384, 96, 24, 8}, turned{8, 40, 160, 640, 2560};
  expect_as_naive(sum_of_two(), {5, 5, 4, 4, 3}, {plain, turned, plain},
                  {numbers(1200), numbers(1200), numbers(1200)});
}

/// o = x + 1; t = x * 2; y = max(x + 1, t); o = t: the first value stored to o is read after the second is
/// computed.
TEST(Tile, stored_value_survives_the_next_one) {
  const Dtype f8 = Dtype::float64;
  const Program program{.code = {load(0, 0, f8), constant(1, 1, f8), compute(Op::add, f8, 2, 0, 1),
                                 store(2, 1), constant(2, 3, f8), compute(Op::multiply, f8, 4, 0, 3),
                                 compute(Op::maximum, f8, 5, 2, 4), store(5, 2), store(4, 1)},
                        .registers = std::vector<Dtype>(6, f8),
                        .operands = {f8, f8, f8}};
  expect_as_naive(program, {1500}, {{8}, {8}, {8}}, {numbers(1500), numbers(1500), numbers(1500)});
}

/// More live values than fit a few tiles, each used twice: register tiles are reused and none too early.
TEST(Tile, long_programs) {
  const Dtype f8 = Dtype::float64;
  Program program{.code = {load(0, 0, f8), load(1, 1, f8)}, .registers = {f8, f8}, .operands = {f8, f8, f8}};
  for (int k = 2; k < 60; ++k) {
    program.registers.push_back(f8);
    const Op op = k % 3 == 0 ? Op::maximum : k % 3 == 1 ? Op::subtract : Op::add;
    program.code.push_back(compute(op, f8, k, k - 1, k < 30 ? k - 2 : 59 - k));
  }
  program.code.push_back(store(59, 2));
  expect_as_naive(program, {2500}, {{8}, {8}, {8}}, {numbers(2500), numbers(2500), numbers(2500)});
}

/// a = a + 1; b = 2 * (old a): the old value is needed after the new one is stored.
TEST(Tile, old_value_survives_its_overwriting) {
  Program program{.code = {load(0, 0, Dtype::int64), constant(1, 1, Dtype::int64),
                           compute(Op::add, Dtype::int64, 2, 0, 1), store(2, 0),
                           compute(Op::add, Dtype::int64, 3, 0, 0), store(3, 1)},
                  .registers = std::vector<Dtype>(4, Dtype::int64),
                  .operands = {Dtype::int64, Dtype::int64}};
  std::vector<std::int64_t> a(3000), b(3000);
  for (std::size_t j = 0; j < a.size(); ++j) a[j] = static_cast<std::int64_t>(j);
  const std::int64_t extents[] = {3000}, first[] = {0}, strides[] = {8};
  const Pointer operands[] = {{reinterpret_cast<std::byte*>(a.data()), strides},
                              {reinterpret_cast<std::byte*>(b.data()), strides}};
  Runner(program).run({extents, first, extents, operands});
  for (std::size_t j = 0; j < a.size(); ++j) {
    ASSERT_EQ(a[j], static_cast<std::int64_t>(j) + 1);
    ASSERT_EQ(b[j], static_cast<std::int64_t>(j) * 2);
  }
}

/// The same random numbers whichever way an array is cut into cells.
TEST(Tile, random_numbers_depend_on_the_index_only) {
  Instruction draw = compute(Op::random_normal, Dtype::float64, 0);
  draw.scalar = real(0);
  draw.scalar_b = real(1);
  draw.ints = {42, 7};
  const Program program{
      .code = {draw, store(0, 0)}, .registers = {Dtype::float64}, .operands = {Dtype::float64}};
  constexpr std::int64_t rows = 50, columns = 70;
  const std::int64_t shape[] = {rows, columns}, strides[] = {columns * 8, 8};
  std::vector<double> whole(rows * columns), parts(rows * columns);
  const std::int64_t zero[] = {0, 0};
  const Pointer all[] = {{reinterpret_cast<std::byte*>(whole.data()), strides}};
  Runner runner(program);
  runner.run({shape, zero, shape, all});
  for (const auto& [row, column, height, width] :
       {std::array<std::int64_t, 4>{0, 0, 20, 70}, {20, 0, 30, 33}, {20, 33, 30, 37}}) {
    const std::int64_t first[] = {row, column}, extents[] = {height, width};
    const Pointer part[] = {
        {reinterpret_cast<std::byte*>(&parts[static_cast<std::size_t>(row * columns + column)]), strides}};
    runner.run({extents, first, shape, part});
  }
  EXPECT_EQ(whole, parts);
  EXPECT_EQ(std::set<double>(whole.begin(), whole.end()).size(), whole.size());
}

TEST(Tile, ill_formed_programs_are_refused) {
  const auto refused = [](const Program& program) {
    try {
      Runner runner(program);
    } catch (const protocol::Error& error) {
      return error.kind() == protocol::ErrorKind::internal;
    }
    return false;
  };
  const Dtype f8 = Dtype::float64;
  EXPECT_TRUE(refused({.code = {store(0, 0)}, .registers = {f8}, .operands = {f8}})) << "read before written";
  EXPECT_TRUE(refused({.code = {load(1, 0, f8)}, .registers = {f8}, .operands = {f8}})) << "no such operand";
  EXPECT_TRUE(refused({.code = {load(0, 3, f8)}, .registers = {f8}, .operands = {f8}})) << "no such register";
  EXPECT_TRUE(refused(
      {.code = {load(0, 0, f8), compute(Op::gcd, f8, 0, 0, 0)}, .registers = {f8}, .operands = {f8}}));
  EXPECT_TRUE(refused(
      {.code = {load(0, 0, f8), compute(Op::less, f8, 0, 0, 0)}, .registers = {f8}, .operands = {f8}}))
      << "a bool result in a float register";
  EXPECT_TRUE(refused(
      {.code = {load(0, 0, f8), compute(Op::where, f8, 0, 0, 0, 0)}, .registers = {f8}, .operands = {f8}}))
      << "a float condition";
  EXPECT_FALSE(refused({.code = {load(0, 0, f8), store(0, 0)}, .registers = {f8}, .operands = {f8}}));
}

}  // namespace
}  // namespace gamelan::engine::tiles
