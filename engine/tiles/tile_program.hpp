// SPDX-License-Identifier: BSD-3-Clause
// A fused group of element-wise commands as a short program over registers, where each register is a tile of
// at most 1,024 elements (4,096 where all are bytes) that stays in cache. Also a cell, the unit of work of a
// Runner (tile_runner.hpp). Data only: the planner writes programs, the steps make cells.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocol/dtype.hpp"
#include "protocol/message.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

inline constexpr std::int64_t tile_elements = 1024;

/// One instruction of a program. A register may be written more than once; every read sees the last write
/// before it.
struct Instruction {
  enum class Kind : std::uint8_t {
    load,      ///< operand -> register `out`, cast to `loop`
    constant,  ///< `scalar` -> register `out`, cast to `loop`
    cast,      ///< register in[0] -> register `out`, cast to `loop`
    compute,   ///< op over registers `in` of dtype `loop` -> register `out` of result_dtype(op, loop)
    store,     ///< register in[0] -> operand, cast to the operand's dtype
  };
  Kind kind{};
  protocol::Op op{};
  protocol::Dtype loop{};
  int out = -1;
  std::array<int, 3> in{-1, -1, -1};  ///< where: condition (a bool register), then, else
  int operand = -1;
  protocol::Scalar scalar{}, scalar_b{};  ///< nullary ops: a and b
  std::array<std::int64_t, 2> ints{};     ///< random ops: key and stream offset
  bool streams = false;  ///< store: past the cache; load: asked for ahead. For what is larger than a cache
  int command = -1;      ///< of the batch, to which floating-point errors belong; -1: to none
};

class Translation;  // tile_translation.hpp

/// A program: its instructions, and the dtypes of its registers and of its operands.
struct Program {
  std::vector<Instruction> code;
  std::vector<protocol::Dtype> registers;
  std::vector<protocol::Dtype> operands;
  /// What Runners have found out about the program. Only they use it. A program does not change once it has
  /// run.
  mutable std::shared_ptr<Translation> translation{};
  mutable std::shared_ptr<Translation> in_lanes{};  ///< of the program that folds its values (LaneRunner)
};

/// Where the first element of a cell lies for one operand, and the byte strides along the axes of the cell.
struct Pointer {
  std::byte* address = nullptr;
  const std::int64_t* strides = nullptr;
};

/// A box of the iteration space `shape` that starts at index `first`, in which each operand is one strided
/// block. Two operands either share no byte that one of them writes, or are the same elements at the same
/// positions.
struct Cell {
  std::span<const std::int64_t> extents;
  std::span<const std::int64_t> first;
  std::span<const std::int64_t> shape;
  std::span<const Pointer> operands;
};

}  // namespace gamelan::engine::tiles
