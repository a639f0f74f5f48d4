// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/box_copies.hpp"

#include <algorithm>

#include "engine/steps/indices.hpp"
#include "engine/tiles/loops/copy_bytes.hpp"
#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/tile_runner.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

constexpr std::int64_t few_elements = 1024;
constexpr std::int64_t shortest_run = 8;

plan::Program copy_program(protocol::Dtype from, protocol::Dtype to) {
  plan::Program program;
  program.operands = {from, to};
  program.registers = {to};
  plan::Instruction load, store;
  load.kind = plan::Instruction::Kind::load;
  load.loop = to;
  load.out = 0;
  load.operand = 0;
  store.kind = plan::Instruction::Kind::store;
  store.loop = to;
  store.in[0] = 0;
  store.operand = 1;
  program.code = {load, store};
  return program;
}

}  // namespace

void copy_box(protocol::Dtype from, protocol::Dtype to, std::span<const std::int64_t> extents,
              const std::byte* source, const Shape& source_strides, std::byte* target,
              const Shape& target_strides) {
  const auto elements = protocol::element_count(extents);
  const Shape packed = protocol::contiguous_strides(extents, protocol::size_of(from));
  if (from == to && source_strides == packed && target_strides == packed) {
    tiles::copy_bytes(target, source, static_cast<std::size_t>(elements) * protocol::size_of(from));
    return;
  }
  if (elements <= few_elements && !extents.empty()) {  // a program would take longer to make than to run
    const tiles::Cast cast = tiles::find_cast(from, to);
    // Runs along the last axis, or along a column.
    const auto longest =
        static_cast<std::size_t>(std::max_element(extents.begin(), extents.end()) - extents.begin());
    const auto inner = extents.back() < shortest_run ? longest : extents.size() - 1;
    Shape starts(extents.begin(), extents.end());
    starts[inner] = 1;
    for_each_index(starts, [&](const Shape& at) {
      std::int64_t source_offset = 0, target_offset = 0;
      for (std::size_t k = 0; k < at.size(); ++k) {
        source_offset += at[k] * source_strides[k];
        target_offset += at[k] * target_strides[k];
      }
      cast(source + source_offset, source_strides[inner], target + target_offset, target_strides[inner],
           static_cast<std::size_t>(extents[inner]));
    });
    return;
  }
  tiles::Runner runner(copy_program(from, to));
  const Shape first(extents.size(), 0);
  const tiles::Pointer pointers[] = {{const_cast<std::byte*>(source), source_strides.data()},
                                     {target, target_strides.data()}};
  runner.run({extents, first, extents, pointers});
}

void copy_operand(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
                  protocol::Dtype to, const distribution::Box& box, std::byte* target,
                  const protocol::Shape& target_strides) {
  const distribution::Placement* placement = &operand.placement;
  distribution::for_each_cell(
      box, {&placement, 1}, context.rank(),
      [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
        protocol::Shape extents;
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < cell.size(); ++k) {
          extents.push_back(cell[k].size());
          offset += (cell[k].first - box[k].first) * target_strides[k];
        }
        const auto& piece = pieces[0];
        if (piece.owner != context.rank())
          context.counters().bytes_shared +=
              static_cast<std::uint64_t>(volume(cell)) * protocol::size_of(from);
        copy_box(from, to, extents, context.address(operand, piece), piece.strides, target + offset,
                 target_strides);
        context.progress();
      });
}

}  // namespace gamelan::engine::steps
