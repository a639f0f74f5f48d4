// SPDX-License-Identifier: BSD-3-Clause
// Copies one tile between an operand's strided memory and a contiguous register tile, as runs along one axis:
// decides along which axis runs go and where they start. Used by the tile interpreter only.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "protocol/view.hpp"

namespace gamelan::engine::tiles {

using Axes = std::array<std::int64_t, protocol::max_dims>;

/// One axis of a box that is copied between an operand and a register tile.
struct Run {
  std::int64_t extent, operand_stride, tile_stride;
};

/// The runs of one tile for one operand, innermost first, adjacent ones merged. `row_pitch`: of a tile with
/// gaps between its rows (tile_geometry.hpp), else 0.
struct Runs {
  std::array<Run, protocol::max_dims> run;
  int count = 0;

  Runs(const Axes& extents, int axis_count, const Axes& strides, std::int64_t item_bytes,
       std::int64_t row_pitch) {
    const auto last_axis = static_cast<std::size_t>(axis_count - 1);
    std::int64_t tile_stride = item_bytes;
    for (auto axis = static_cast<std::size_t>(axis_count); axis-- > 0;) {
      if (extents[axis] == 1) continue;
      const bool goes_on = count > 0 && strides[axis] == last().operand_stride * last().extent &&
                           tile_stride == last().tile_stride * last().extent;
      if (goes_on)
        last().extent *= extents[axis];
      else
        run[static_cast<std::size_t>(count++)] = {extents[axis], strides[axis], tile_stride};
      tile_stride *= row_pitch > 0 && axis == last_axis ? row_pitch : extents[axis];
    }
    if (count == 0) run[static_cast<std::size_t>(count++)] = {1, 0, item_bytes};
  }

  Run& last() { return run[static_cast<std::size_t>(count - 1)]; }

  /// True for two runs, of which the inner one reads one element at most `longest` times.
  bool is_broadcast_inside(std::int64_t longest) const {
    return count == 2 && run[0].operand_stride == 0 && run[0].extent <= longest &&
           run[1].tile_stride == run[0].tile_stride * run[0].extent;
  }

  /// Moves the run that suits best as the innermost loop to the front: a long one along the operand's memory.
  void choose_inner() {
    constexpr std::int64_t long_enough = 8;
    const auto is_better = [](const Run& left, const Run& right) {
      const bool left_is_long = left.extent >= long_enough, right_is_long = right.extent >= long_enough;
      if (!left_is_long || !right_is_long) return left.extent > right.extent;
      return std::abs(left.operand_stride) < std::abs(right.operand_stride);
    };
    for (int k = 1; k < count; ++k) {
      if (is_better(run[static_cast<std::size_t>(k)], run[0]))
        std::swap(run[static_cast<std::size_t>(k)], run[0]);
    }
  }

  /// Calls action(operand offset, tile offset) for each start of the innermost run.
  template <class Action>
  void each(const Action& action) const {
    if (count == 1) return action(std::int64_t{0}, std::int64_t{0});
    Axes position{};
    std::int64_t operand_offset = 0, tile_offset = 0;
    for (;;) {
      action(operand_offset, tile_offset);
      int axis = 1;
      for (; axis < count; ++axis) {
        const Run& here = run[static_cast<std::size_t>(axis)];
        operand_offset += here.operand_stride;
        tile_offset += here.tile_stride;
        if (++position[static_cast<std::size_t>(axis)] < here.extent) break;
        operand_offset -= here.operand_stride * here.extent;
        tile_offset -= here.tile_stride * here.extent;
        position[static_cast<std::size_t>(axis)] = 0;
      }
      if (axis == count) return;
    }
  }
};

}  // namespace gamelan::engine::tiles
