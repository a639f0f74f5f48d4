// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the rows of an operand along one axis, for access in any order. Between ranks the axis is cut
// into a few segments; inside one, row j lies at origin + j * stride. Pure once the blocks are known.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/steps/remote.hpp"
#include "engine/tiles/loops/elementwise.hpp"

namespace gamelan::engine::steps {

/// A range of rows in the block of one rank.
struct Segment {
  std::int64_t first;       ///< index of the axis
  std::byte* origin;        ///< where row 0 would lie
  std::int64_t stride;      ///< bytes
  protocol::Shape strides;  ///< of all axes, inside a row
  int owner;
  bool is_remote;
};

/// The part of every row that lies in one box of the other axes.
struct RowPart {
  distribution::Box box;          ///< of the other axes; the interval of the axis itself spans all rows
  std::vector<Segment> segments;  ///< ascending

  /// The segment that holds row j.
  std::size_t find(std::int64_t j) const {
    constexpr std::size_t few = 8;
    if (segments.size() > few) return find_among_many(j);
    std::size_t found = 0;
    for (std::size_t s = 1; s < segments.size(); ++s) found += j >= segments[s].first;
    return found;
  }

 private:
  std::size_t find_among_many(std::int64_t j) const;
};

/// The rows of `operand` along `axis`, cut to `box` (iteration space) on the other axes.
std::vector<RowPart> rows_along(const StepContext& context, const plan::Operand& operand,
                                distribution::Box box, std::size_t axis);

/// Requests row j when it lies on another node. `extents`: its box without the axis; `strides`: those of
/// `segment` without it; `block`: the start of the owner's block.
void ask_row(RemoteGather& remote_gather, const Segment& segment, const std::byte* block, std::int64_t j,
             std::span<const std::int64_t> extents, std::span<const std::int64_t> strides,
             std::int64_t item_bytes);

/// Copies one strided box onto another of the same element size, without a cast. Good for small boxes:
/// nothing is prepared.
void copy_row(std::span<const std::int64_t> extents, const std::byte* from, const std::int64_t* from_strides,
              std::byte* to, const std::int64_t* to_strides, std::int64_t item_bytes);
/// The same with an op: each element of the target becomes loop(itself, the element of `from`).
void update_row(tiles::Loop loop, std::span<const std::int64_t> extents, const std::byte* from,
                const std::int64_t* from_strides, std::byte* to, const std::int64_t* to_strides,
                std::int64_t item_bytes);

}  // namespace gamelan::engine::steps
