// SPDX-License-Identifier: BSD-3-Clause
// An element-wise pass: the cells whose operands all lie here first, then those that read a neighbour's block, so that
// the neighbour has the time of the interior to finish its part.
#include <algorithm>
#include <array>

#include "engine/exec/site.hpp"

namespace gamelan::engine::exec {
namespace {

using dist::Box;
using dist::extents_of;
using dist::Piece;
using protocol::Shape;

Shape first_of(const Box& box) {
  Shape first;
  for (const auto& interval : box) first.push_back(interval.first);
  return first;
}

}  // namespace

void run(const Site& site, const plan::Kernel& kernel) {
  for (const auto& each : kernel.carries) carry(site, each);
  if (!kernel.iterations.takes_part(site.rank())) return;
  const Box box = kernel.iterations.box(site.rank());
  if (is_empty(box)) return;

  const Shape shape = kernel.iterations.extents();
  std::vector<const dist::Placement*> placements;
  std::vector<std::size_t> operand_of;  // placement -> operand
  for (std::size_t i = 0; i < kernel.operands.size(); ++i)
    if (kernel.operands[i].source == plan::Operand::Source::slot) {
      placements.push_back(&kernel.operands[i].placement);
      operand_of.push_back(i);
    }
  Runner runner(kernel.program);
  std::vector<Pointer> pointers(kernel.operands.size());
  std::vector<Shape> payload_strides(kernel.operands.size());
  const auto compute = [&](const Box& cell, std::span<const Piece> pieces) {
    const Shape first = first_of(cell), extents = extents_of(cell);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto& operand = kernel.operands[operand_of[i]];
      pointers[operand_of[i]] = {site.address(operand, pieces[i]), pieces[i].strides.data()};
    }
    for (std::size_t i = 0; i < kernel.operands.size(); ++i) {
      if (kernel.operands[i].source != plan::Operand::Source::payload) continue;
      payload_strides[i] = protocol::contiguous_strides(shape, protocol::size_of(kernel.program.operands[i]));
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < first.size(); ++k) offset += first[k] * payload_strides[i][k];
      pointers[i] = {const_cast<std::byte*>(site.payload(kernel.operands[i].payload).data()) + offset, payload_strides[i].data()};
    }
    runner.run({extents, first, shape, pointers});
  };

  struct Remote {
    Box cell;
    std::vector<Piece> pieces;
  };
  std::vector<Remote> later;
  dist::for_each_cell(box, placements, site.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
    if (std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.owner == site.rank(); }))
      return compute(cell, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i].owner != site.rank())
        site.count_shared(cell, pieces[i], placements[i]->item_bytes);
    later.push_back({cell, {pieces.begin(), pieces.end()}});
  });
  for (const auto& remote : later) compute(remote.cell, remote.pieces);
}

}  // namespace gamelan::engine::exec
