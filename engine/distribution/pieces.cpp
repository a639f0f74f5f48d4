// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/pieces.hpp"

#include <algorithm>
#include <array>

namespace gamelan::engine::distribution {
namespace {

/// Byte strides of a rank's block, which is C-ordered.
Shape block_strides(const Box& block, std::size_t item_bytes) {
  Shape strides(block.size());
  auto stride = static_cast<std::int64_t>(item_bytes);
  for (std::size_t k = block.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= block[k].size();
  }
  return strides;
}

/// Sorted cut positions of axis k inside `box`, both ends included.
std::vector<std::int64_t> cuts_of_axis(const Box& box, std::size_t k,
                                       std::span<const Placement* const> operands) {
  std::vector<std::int64_t> cuts{box[k].first, box[k].last};
  for (const auto* operand : operands) {
    const auto& axis = operand->iterations.axes[k];
    if (axis.parts == 1) continue;
    // Goes from cut to cut, not from rank to rank, because most ranks may own nothing here.
    for (auto at = axis.interval(axis.owner(box[k].first)).last; at < box[k].last;
         at = axis.interval(axis.owner(at)).last)
      cuts.push_back(at);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

}  // namespace

std::optional<BoxOfBase> box_of_base(const protocol::View& view, const Shape& base_extents,
                                     protocol::Dtype base_dtype) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(base_dtype));
  const auto part = static_cast<std::int64_t>(protocol::size_of(view.dtype));
  if (part > item) return std::nullopt;
  const auto within = view.offset % item;
  if (within + part > item) return std::nullopt;
  protocol::View elements = view;  // the elements of the base that the parts lie in
  elements.offset -= within;
  elements.dtype = base_dtype;
  auto map = protocol::axis_wise(elements, base_extents, base_dtype);
  if (!map) return std::nullopt;
  return BoxOfBase{std::move(*map), within};
}

Placement place(const Layout& base, const BoxOfBase& box, const Shape& extents, std::size_t item_bytes) {
  return {base, box.map, layout_of_view(base, box.map, extents), item_bytes, box.within};
}

void locate(const Placement& placement, const Shape& index, int self, Piece& piece) {
  const auto& base = placement.base;
  const auto& map = placement.map;
  piece.owner = placement.iterations.owner(index, self);
  piece.offset = placement.within;
  piece.strides.assign(index.size(), 0);
  // Called for every operand of every cell, so it allocates no memory except for the piece, once.
  std::array<int, 2 * protocol::max_dims> moves;  // by base axis: the iteration axis that moves along it
  std::fill_n(moves.begin(), base.axes.size(), -1);
  for (std::size_t k = 0; k < index.size(); ++k)
    if (map.axes[k].base_axis >= 0)
      moves[static_cast<std::size_t>(map.axes[k].base_axis)] = static_cast<int>(k);
  auto stride = static_cast<std::int64_t>(placement.item_bytes);  // a block is C-ordered
  for (std::size_t b = base.axes.size(); b-- > 0;) {
    const Interval block = base.interval(b, piece.owner);
    if (moves[b] < 0) {
      piece.offset += (map.fixed[b] - block.first) * stride;
    } else {
      const auto k = static_cast<std::size_t>(moves[b]);
      piece.offset += (map.axes[k].start + map.axes[k].step * index[k] - block.first) * stride;
      piece.strides[k] = map.axes[k].step * stride;
    }
    stride *= block.size();
  }
}

Piece locate(const Placement& placement, const Shape& index, int self) {
  Piece piece;
  locate(placement, index, self, piece);
  return piece;
}

void for_each_cell(const Box& box, std::span<const Placement* const> operands, int self,
                   const std::function<void(const Box&, std::span<const Piece>)>& visit) {
  if (is_empty(box)) return;
  const auto dims = box.size();
  std::vector<std::vector<std::int64_t>> cuts(dims);
  for (std::size_t k = 0; k < dims; ++k) cuts[k] = cuts_of_axis(box, k, operands);

  std::vector<std::size_t> at(dims, 0);
  std::vector<Piece> pieces(operands.size());
  Box cell(dims);
  Shape first(dims);
  while (true) {
    for (std::size_t k = 0; k < dims; ++k) {
      cell[k] = {cuts[k][at[k]], cuts[k][at[k] + 1]};
      first[k] = cell[k].first;
    }
    for (std::size_t i = 0; i < operands.size(); ++i) locate(*operands[i], first, self, pieces[i]);
    visit(cell, pieces);
    std::size_t k = dims;
    while (k > 0 && ++at[k - 1] + 1 == cuts[k - 1].size()) at[--k] = 0;
    if (k == 0) return;
  }
}

Piece locate_element(const Layout& base, const Shape& index, int self, std::size_t item_bytes) {
  Piece piece;
  piece.owner = base.owner(index, self);
  const Box block = base.box(piece.owner);
  piece.strides = block_strides(block, item_bytes);
  for (std::size_t b = 0; b < block.size(); ++b)
    piece.offset += (index[b] - block[b].first) * piece.strides[b];
  return piece;
}

}  // namespace gamelan::engine::distribution
