// SPDX-License-Identifier: BSD-3-Clause
// The tile interpreter against evaluation one element at a time: random programs over random cells (any
// strides, in place, broadcast, scalars, several cells per runner). GAMELAN_TEST_SEED repeats one case,
// GAMELAN_TEST_CASES runs more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "engine/tiles/tile_translation.hpp"
#include "tests/engine/tiles/every_dtype.hpp"
#include "tests/engine/tiles/tile_program.hpp"
#include "tests/random.hpp"

namespace gamelan::engine::tiles {
namespace {

/// Memory of one operand with its strides over the cell; `view` addresses it after a copy as well.
struct Block {
  std::vector<std::byte> bytes;
  std::size_t offset = 0;
  Shape strides;
};

class Random : public testing::Choices {
 public:
  using Choices::Choices;

  /// Extents around every switch of tile_geometry: short and long rows, whole and ragged squares, several
  /// tiles each way.
  Shape shape(bool is_square) {
    static const std::vector<int> extents{1, 2, 3, 5, 7, 31, 32, 33, 100, 1023, 1024, 1025, 2500};
    Shape result(static_cast<std::size_t>(is_square ? 2 + below(2) : below(5)));
    std::int64_t count = 1, most = is_square ? 20000 : 6000;
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
      auto& extent = result[axis];
      extent = !is_square || axis > 1 ? pick(extents) : chance(50) ? 16 + below(18) : 16 + below(150);
      if (count * extent > most) extent = 1 + below(3);
      count *= extent;
    }
    if (chance(3) && !result.empty()) result[0] = 0;
    std::shuffle(result.begin(), result.end(), engine());
    return result;
  }

  /// Rows of the last axis `gap` elements apart, as the inside of a padded grid has them.
  Block padded_block(const Shape& extents, Dtype dtype, std::int64_t gap) {
    Block result;
    result.strides.assign(extents.size(), 0);
    auto size = static_cast<std::int64_t>(protocol::size_of(dtype));
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      result.strides[axis] = size;
      size *= extents[axis] + (axis + 1 == extents.size() ? gap : 0);
    }
    result.bytes.resize(static_cast<std::size_t>(size));
    fill(result.bytes, dtype);
    return result;
  }

  /// A strided block: any order of axes, steps, signs; readers may repeat elements. Those of a square cell
  /// mostly cross or repeat.
  Block block(const Shape& extents, Dtype dtype, bool may_repeat, bool is_square) {
    const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
    std::vector<std::size_t> order(extents.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis) order[axis] = order.size() - 1 - axis;
    if (chance(is_square ? 50 : 30)) std::shuffle(order.begin(), order.end(), engine());
    const bool is_plain = chance(50);
    const bool is_scalar = may_repeat && chance(15);
    Block result;
    result.strides.assign(extents.size(), 0);
    const std::int64_t before =
        chance(50) ? 0 : item * below(70);  // cells begin anywhere in a block, cache lines and all
    std::int64_t size = item, offset = before;
    for (const std::size_t axis : order) {
      if (is_scalar || (may_repeat && chance(is_square ? 30 : 10))) continue;
      const std::int64_t step = is_plain ? 1 : 1 + below(3);
      result.strides[axis] = size * step;
      size *= step * std::max<std::int64_t>(extents[axis], 1) + (is_plain ? 0 : below(2));
      size = (size + item - 1) / item * item;
      if (!is_plain && chance(30) && extents[axis] > 0) {
        offset += result.strides[axis] * (extents[axis] - 1);
        result.strides[axis] = -result.strides[axis];
      }
    }
    result.offset = static_cast<std::size_t>(offset);
    result.bytes.resize(static_cast<std::size_t>(before + size));
    fill(result.bytes, dtype);
    return result;
  }

  /// Values that survive every op without becoming NaN of an unspecified payload too often.
  void fill(std::vector<std::byte>& bytes, Dtype dtype) {
    const std::size_t item = protocol::size_of(dtype);
    for (std::size_t at = 0; at + item <= bytes.size(); at += item) {
      const double value = dtype == Dtype::bool_ ? below(2) : (below(2000) - 500) / 16.0;
      find_cast(Dtype::float64, dtype)(reinterpret_cast<const std::byte*>(&value), 0, bytes.data() + at, 0,
                                       1);
    }
  }
};

/// What programs are made of: anything, or mostly what is compiled, in long runs.
enum class Taste : std::uint8_t { any, compiled, squares };

/// Every operand read once, a sum of all stored in the first: most of what happens is how the tiles lie.
Program sum_of_all(Random& random, std::size_t operand_count) {
  const Dtype dtype =
      random.pick(std::vector<Dtype>{Dtype::int8, Dtype::int64, Dtype::float32, Dtype::complex128});
  Program program{.code = {}, .registers = {dtype}, .operands = std::vector<Dtype>(operand_count, dtype)};
  program.code.push_back(load(0, 0, dtype));
  for (int k = 1; k < static_cast<int>(operand_count); ++k) {
    program.registers.insert(program.registers.end(), 2, dtype);
    program.code.push_back(load(k, 2 * k - 1, dtype));
    program.code.push_back(compute(Op::add, dtype, 2 * k, 2 * k - 1, 2 * k - 2));
  }
  program.code.push_back(store(2 * static_cast<int>(operand_count) - 2, 0));
  return program;
}

/// Programs that load, compute in several dtypes, cast and store, reusing registers and naming operands
/// repeatedly.
Program random_program(Random& random, std::size_t operand_count, const std::vector<bool>& is_written,
                       Taste taste) {
  Program program;
  std::vector<Dtype> dtypes(all_dtypes.begin(), all_dtypes.end());
  if (taste == Taste::compiled)
    std::erase_if(dtypes, [](Dtype dtype) { return !jit::holds(dtype, jit::InstructionSet::avx2); });
  std::vector<Dtype> used;
  for (int k = 0; k < 3; ++k) used.push_back(random.pick(dtypes));
  for (std::size_t k = 0; k < operand_count; ++k) program.operands.push_back(random.pick(used));
  std::vector<std::vector<int>> registers_of(protocol::dtype_count);  // registers that hold a value, by dtype
  const auto destination = [&](Dtype dtype) {
    auto& known = registers_of[static_cast<std::size_t>(dtype)];
    if (!known.empty() && random.chance(25)) return random.pick(known);
    program.registers.push_back(dtype);
    known.push_back(static_cast<int>(program.registers.size()) - 1);
    return known.back();
  };
  const int length = taste == Taste::any ? 3 + random.below(25) : 20 + random.below(120);
  const auto operand = [&] { return random.below(static_cast<int>(operand_count)); };
  while (static_cast<int>(program.code.size()) < length) {
    const int choice = taste == Taste::compiled && random.chance(60) ? 5 : random.below(10);
    if (choice < 3 || program.code.empty()) {
      const int from = operand();
      const Dtype loop =
          random.chance(75) ? program.operands[static_cast<std::size_t>(from)] : random.pick(used);
      program.code.push_back(load(from, destination(loop), loop));
    } else if (choice == 3) {
      const Dtype loop = random.pick(used);
      program.code.push_back(constant(random.below(9) - 2, destination(loop), loop));
    } else if (choice == 4) {
      const Dtype loop = random.pick(used);
      std::vector<int> written;
      for (const auto& group : registers_of) written.insert(written.end(), group.begin(), group.end());
      const int from = random.pick(written);
      program.code.push_back(
          {.kind = Kind::cast, .loop = loop, .out = destination(loop), .in = {from, -1, -1}});
    } else if (choice < 8) {
      const auto op = static_cast<Op>(random.below(protocol::op_count()));
      const Dtype loop = random.pick(used);
      if (!protocol::is_elementwise(op) || find_loop(op, loop) == nullptr) continue;
      if (taste == Taste::compiled && !jit::computes(op, loop, jit::InstructionSet::avx2) &&
          !random.chance(2))
        continue;
      Instruction step = compute(op, loop, -1);
      const auto& info = protocol::info(op);
      bool has_inputs = true;
      for (std::size_t k = 0;
           info.kind != protocol::RowKind::nullary && k < static_cast<std::size_t>(info.arity); ++k) {
        const bool is_condition = info.kind == protocol::RowKind::ternary && k == 0;
        const auto& candidates = registers_of[static_cast<std::size_t>(is_condition ? Dtype::bool_ : loop)];
        if (candidates.empty())
          has_inputs = false;
        else
          step.in[k] = random.pick(candidates);
      }
      if (!has_inputs) continue;
      step.scalar = real(random.below(5));
      step.scalar_b = real(5 + random.below(5));
      step.ints = {random.below(1000), random.below(1000)};
      step.out = destination(result_dtype(op, loop));
      program.code.push_back(step);
    } else {
      const int to = operand();
      if (!is_written[static_cast<std::size_t>(to)]) continue;
      std::vector<int> written;
      for (const auto& group : registers_of) written.insert(written.end(), group.begin(), group.end());
      program.code.push_back(store(random.pick(written), to));
    }
  }
  for (std::size_t k = 0; k < operand_count; ++k) {
    if (is_written[k]) program.code.push_back(store(program.code.front().out, static_cast<int>(k)));
  }
  return program;
}

/// NaNs of any payload are one value.
bool same_element(Dtype dtype, const std::byte* left, const std::byte* right) {
  const std::size_t bytes = protocol::size_of(dtype);
  if (std::memcmp(left, right, bytes) == 0) return true;
  const char kind = protocol::info(dtype).kind;
  if (kind != 'f' && kind != 'c') return false;
  const std::size_t parts = kind == 'c' ? 2 : 1;
  const Dtype part = bytes / parts == 2   ? Dtype::float16
                     : bytes / parts == 4 ? Dtype::float32
                                          : Dtype::float64;
  for (std::size_t k = 0; k < parts; ++k) {
    double values[2];
    find_cast(part, Dtype::float64)(left + k * bytes / parts, 0, reinterpret_cast<std::byte*>(&values[0]), 0,
                                    1);
    find_cast(part, Dtype::float64)(right + k * bytes / parts, 0, reinterpret_cast<std::byte*>(&values[1]), 0,
                                    1);
    if (std::memcmp(&values[0], &values[1], sizeof(double)) != 0 &&
        !(values[0] != values[0] && values[1] != values[1])) {
      return false;
    }
  }
  return true;
}

void run_random_case(unsigned seed, Taste taste) {
  SCOPED_TRACE("GAMELAN_TEST_SEED=" + std::to_string(seed));
  Random random(seed);
  const auto operand_count = static_cast<std::size_t>(1 + random.below(4));
  std::vector<bool> is_written(operand_count);
  for (std::size_t k = 0; k < operand_count; ++k)
    is_written[k] = k == 0 || (taste != Taste::squares && random.chance(40));
  Program program = taste == Taste::squares ? sum_of_all(random, operand_count)
                                            : random_program(random, operand_count, is_written, taste);
  std::vector<std::size_t> same_as(operand_count);  // operands that name the elements of another
  for (std::size_t k = 0; k < operand_count; ++k) {
    same_as[k] = k;
    if (k > 0 && random.chance(25)) {
      const auto other = static_cast<std::size_t>(random.below(static_cast<int>(k)));
      if (program.operands[other] == program.operands[k]) same_as[k] = same_as[other];
    }
  }
  const auto is_shared = [&](std::size_t k) {
    for (std::size_t other = 0; other < operand_count; ++other) {
      if (same_as[other] == k && is_written[other]) return true;
    }
    return false;
  };
  struct CellAt {
    Shape extents, first, shape;
    std::vector<Block> blocks;
  };
  const auto random_cell = [&] {
    CellAt cell;
    const bool is_square = taste == Taste::squares || random.chance(40);
    cell.extents = random.shape(is_square);
    for (const std::int64_t extent : cell.extents) {
      cell.first.push_back(random.chance(50) ? 0 : random.below(700));
      cell.shape.push_back(cell.first.back() + extent + (random.chance(50) ? 0 : random.below(3)));
    }
    const bool is_padded = random.chance(25);
    const int gap = 1 + random.below(3);
    for (std::size_t k = 0; k < operand_count; ++k) {
      const Dtype dtype = program.operands[k];
      cell.blocks.push_back(is_padded && random.chance(75)
                                ? random.padded_block(cell.extents, dtype, gap)
                                : random.block(cell.extents, dtype, !is_shared(k), is_square));
    }
    return cell;
  };
  Runner runner(program);
  const std::vector<CellAt> cells{random_cell(), random_cell()};
  for (const std::size_t number : {0, 1, 0, 1}) {  // bindings are kept from cell to cell, and met again
    const auto& [extents, first, shape, blocks_before] = cells[number];
    std::vector<Block> blocks = blocks_before, expected = blocks_before;
    const auto pointers = [&](std::vector<Block>& memory) {
      std::vector<Pointer> result;
      for (std::size_t k = 0; k < operand_count; ++k) {
        Block& block = memory[same_as[k]];
        result.push_back({block.bytes.data() + block.offset, block.strides.data()});
      }
      return result;
    };
    const auto expected_pointers = pointers(expected);
    run_naively(program, {extents, first, shape, expected_pointers});
    const auto got_pointers = pointers(blocks);
    runner.run({extents, first, shape, got_pointers});
    for (std::size_t k = 0; k < operand_count; ++k) {
      const std::size_t item = protocol::size_of(program.operands[k]);
      for (std::size_t at = 0; at + item <= blocks[k].bytes.size(); at += item) {
        ASSERT_TRUE(
            same_element(program.operands[k], blocks[k].bytes.data() + at, expected[k].bytes.data() + at))
            << "operand " << k << " (" << protocol::info(program.operands[k]).name << ") differs at byte "
            << at;
      }
    }
  }
}

/// `share`: of how many tests this is one; they run as many cases together.
void run_random_cases(Taste taste, unsigned share = 1) {
  if (const char* seed = std::getenv("GAMELAN_TEST_SEED")) {
    run_random_case(static_cast<unsigned>(std::strtoul(seed, nullptr, 10)), taste);
    return;
  }
  const unsigned start = std::random_device()();
  std::cout << "first seed " << start << "\n";
  const char* wanted = std::getenv("GAMELAN_TEST_CASES");
  const unsigned count = wanted != nullptr         ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10))
                         : taste == Taste::squares ? 2000
                                                   : 300;
  for (unsigned k = 0; k < count / share && !::testing::Test::HasFatalFailure(); ++k)
    run_random_case(start + k, taste);
}

TEST(TileRandom, interpreted_programs_equal_naive_evaluation) {
  set_compiling(Compiling::off);
  run_random_cases(Taste::any);
  run_random_cases(Taste::squares);
  set_compiling(Compiling::hot);
}

TEST(TileRandom, an_operand_that_is_written_by_another_name_is_not_read_from_an_old_copy) {
  set_compiling(Compiling::off);
  run_random_case(1988767393, Taste::compiled);
  set_compiling(Compiling::hot);
}

class TileRandomAt : public ::testing::TestWithParam<Isa> {};

TEST_P(TileRandomAt, compiled_programs_equal_naive_evaluation) {
  const LevelGuard guard;
  if (best_isa() < GetParam()) GTEST_SKIP() << "not on this processor";
  set_isa(GetParam());
  set_compiling(Compiling::always);
  if (compiling() != Compiling::always) GTEST_SKIP() << "no programs are compiled";
  const auto before = programs_compiled();
  for (const Taste taste : {Taste::any, Taste::compiled, Taste::squares}) run_random_cases(taste, 2);
  EXPECT_GT(programs_compiled(), before);
  set_compiling(Compiling::hot);
}

INSTANTIATE_TEST_SUITE_P(, TileRandomAt, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

}  // namespace
}  // namespace gamelan::engine::tiles
