// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/irregular/segments.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "engine/tiles/loops/copy_bytes.hpp"

namespace gamelan::engine::steps {

std::size_t RowPart::find_among_many(std::int64_t j) const {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), j,
                       [](std::int64_t row, const Segment& segment) { return row < segment.first; });
  return static_cast<std::size_t>(after - segments.begin()) - 1;
}

std::vector<RowPart> rows_along(const StepContext& context, const plan::Operand& operand,
                                distribution::Box box, std::size_t axis) {
  box[axis] = {0, operand.placement.iterations.axes[axis].extent};
  std::vector<RowPart> parts;
  std::map<protocol::Shape, std::size_t> part_at;  // by the first index of the other axes
  const distribution::Placement* placement = &operand.placement;
  distribution::for_each_cell(
      box, {&placement, 1}, context.rank(),
      [&](const distribution::Box& cell, std::span<const distribution::Piece> pieces) {
        protocol::Shape key;
        for (std::size_t k = 0; k < cell.size(); ++k) key.push_back(k == axis ? 0 : cell[k].first);
        const auto [found, is_new] = part_at.try_emplace(std::move(key), parts.size());
        if (is_new) {
          parts.push_back({cell, {}});
          parts.back().box[axis] = box[axis];
        }
        const auto& piece = pieces[0];
        parts[found->second].segments.push_back(
            {cell[axis].first, context.address(operand, piece) - cell[axis].first * piece.strides[axis],
             piece.strides[axis], piece.strides, piece.owner, piece.owner != context.rank()});
      });
  return parts;
}

void ask_row(RemoteGather& remote_gather, const Segment& segment, const std::byte* block, std::int64_t j,
             std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
             std::int64_t item_bytes) {
  const auto first = segment.origin + j * segment.stride - block;
  const auto ask_box = [&](const auto& self, std::size_t k, std::int64_t offset) -> void {
    if (k == extents.size()) return remote_gather.ask(segment.owner, {offset, item_bytes, 1, item_bytes});
    if (k + 1 == extents.size())
      return remote_gather.ask(segment.owner, {offset, strides[k], extents[k], item_bytes});
    for (std::int64_t i = 0; i < extents[k]; ++i) self(self, k + 1, offset + i * strides[k]);
  };
  ask_box(ask_box, 0, first);
}

void copy_row(std::span<const std::int64_t> extents, const std::byte* from, const std::int64_t* from_strides,
              std::byte* to, const std::int64_t* to_strides, std::int64_t item_bytes) {
  if (extents.empty()) {
    std::memcpy(to, from, static_cast<std::size_t>(item_bytes));
  } else if (extents.size() > 1) {
    for (std::int64_t i = 0; i < extents[0]; ++i)
      copy_row(extents.subspan(1), from + i * from_strides[0], from_strides + 1, to + i * to_strides[0],
               to_strides + 1, item_bytes);
  } else if (from_strides[0] == item_bytes && to_strides[0] == item_bytes) {
    tiles::copy_bytes(to, from, static_cast<std::size_t>(extents[0] * item_bytes));
  } else {
    for (std::int64_t i = 0; i < extents[0]; ++i)
      std::memcpy(to + i * to_strides[0], from + i * from_strides[0], static_cast<std::size_t>(item_bytes));
  }
}

void update_row(tiles::Loop loop, std::span<const std::int64_t> extents, const std::byte* from,
                const std::int64_t* from_strides, std::byte* to, const std::int64_t* to_strides,
                std::int64_t item_bytes) {
  const bool is_run = extents.size() == 1 && from_strides[0] == item_bytes && to_strides[0] == item_bytes;
  if (extents.empty() || is_run) {
    const void* operands[] = {to, from};
    return loop(operands, to, extents.empty() ? 1 : static_cast<std::size_t>(extents[0]), nullptr);
  }
  for (std::int64_t i = 0; i < extents[0]; ++i)
    update_row(loop, extents.subspan(1), from + i * from_strides[0], from_strides + 1, to + i * to_strides[0],
               to_strides + 1, item_bytes);
}

}  // namespace gamelan::engine::steps
