// SPDX-License-Identifier: BSD-3-Clause
// Short ways to write tile programs in tests, and what running one means: one element at a time, in program
// order.
#pragma once
#include <array>
#include <cstring>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/tile_runner.hpp"
#include "protocol/view.hpp"

namespace gamelan::engine::tiles {

using protocol::Dtype;
using protocol::Op;
using Kind = Instruction::Kind;
using Shape = std::vector<std::int64_t>;

template <class T>
protocol::Scalar scalar(Dtype dtype, T value) {
  protocol::Scalar result{.dtype = dtype};
  std::memcpy(result.bytes.data(), &value, sizeof value);
  return result;
}
inline protocol::Scalar real(double value) { return scalar(Dtype::float64, value); }

inline Instruction load(int operand, int out, Dtype loop) {
  return {.kind = Kind::load, .loop = loop, .out = out, .operand = operand};
}
inline Instruction constant(double value, int out, Dtype loop) {
  return {.kind = Kind::constant, .loop = loop, .out = out, .scalar = real(value)};
}
inline Instruction compute(Op op, Dtype loop, int out, int x = -1, int y = -1, int z = -1) {
  return {.kind = Kind::compute, .op = op, .loop = loop, .out = out, .in = {x, y, z}};
}
inline Instruction store(int in, int operand) {
  return {.kind = Kind::store, .in = {in, -1, -1}, .operand = operand};
}

/// A program on one element at a time, in program order: what Runner must equal, bit for bit.
inline void run_naively(const Program& program, const Cell& cell) {
  Shape position(cell.extents.size(), 0);
  if (protocol::element_count(cell.extents) == 0) return;
  using Element = std::array<std::byte, 16>;
  for (;;) {
    std::vector<Element> registers(program.registers.size());
    std::vector<std::byte*> at;
    for (const Pointer& pointer : cell.operands) {
      at.push_back(pointer.address);
      for (std::size_t axis = 0; axis < position.size(); ++axis)
        at.back() += position[axis] * pointer.strides[axis];
    }
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
      index = index * cell.shape[axis] + cell.first[axis] + position[axis];
    }
    for (const Instruction& step : program.code) {
      const auto out = static_cast<std::size_t>(step.out);
      const auto operand = static_cast<std::size_t>(step.operand);
      switch (step.kind) {
        case Kind::load:
          find_cast(program.operands[operand], step.loop)(at[operand], 0, registers[out].data(), 0, 1);
          break;
        case Kind::constant:
          find_cast(step.scalar.dtype, step.loop)(step.scalar.bytes.data(), 0, registers[out].data(), 0, 1);
          break;
        case Kind::cast: {
          const auto in = static_cast<std::size_t>(step.in[0]);
          const Element from = registers[in];
          find_cast(program.registers[in], step.loop)(from.data(), 0, registers[out].data(), 0, 1);
          break;
        }
        case Kind::compute: {
          Element first{}, second{};
          find_cast(step.scalar.dtype, step.loop)(step.scalar.bytes.data(), 0, first.data(), 0, 1);
          find_cast(step.scalar_b.dtype, step.loop)(step.scalar_b.bytes.data(), 0, second.data(), 0, 1);
          const NullaryParams params{first.data(), second.data(), static_cast<std::uint64_t>(step.ints[0]),
                                     step.ints[1], index,         1};
          const void* in[3] = {};
          for (std::size_t k = 0; k < 3; ++k) {
            if (step.in[k] >= 0) in[k] = registers[static_cast<std::size_t>(step.in[k])].data();
          }
          Element result{};
          find_loop(step.op, step.loop)(in, result.data(), 1, &params);
          registers[out] = result;
          break;
        }
        case Kind::store: {
          const auto in = static_cast<std::size_t>(step.in[0]);
          find_cast(program.registers[in], program.operands[operand])(registers[in].data(), 0, at[operand], 0,
                                                                      1);
          break;
        }
      }
    }
    std::size_t axis = position.size();
    while (axis > 0 && ++position[axis - 1] == cell.extents[axis - 1]) position[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace gamelan::engine::tiles
