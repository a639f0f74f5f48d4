// SPDX-License-Identifier: BSD-3-Clause
// See tile_geometry.hpp. Element-wise work may be done in any order, so tiles go along memory, not in the
// order of the axes.
#include "engine/tiles/tile_geometry.hpp"

#include <algorithm>
#include <cstdlib>

namespace gamelan::engine::tiles {
namespace {

/// The side of a square tile, which is for operands that are contiguous along different axes.
std::int64_t square_side(const GeometryRules& rules) { return rules.tile_elements >= 32 * 32 ? 32 : 16; }

void swap_axes(Geometry& geometry, int left, int right) {
  const auto l = static_cast<std::size_t>(left), r = static_cast<std::size_t>(right);
  std::swap(geometry.extents[l], geometry.extents[r]);
  std::swap(geometry.index_steps[l], geometry.index_steps[r]);
  for (auto& strides : geometry.strides) std::swap(strides[l], strides[r]);
}

void copy_axes(const Cell& cell, Geometry& geometry) {
  std::int64_t index_step = 1;
  std::array<std::int64_t, protocol::max_dims> steps{};
  geometry.index = 0;
  for (std::size_t axis = cell.extents.size(); axis-- > 0;) {
    steps[axis] = index_step;
    geometry.index += cell.first[axis] * index_step;
    index_step *= cell.shape[axis];
  }
  geometry.addresses.resize(cell.operands.size());
  geometry.strides.resize(cell.operands.size());
  std::size_t kept = 0;
  for (std::size_t axis = 0; axis < cell.extents.size(); ++axis) {
    if (cell.extents[axis] == 0) geometry.is_empty = true;
    if (cell.extents[axis] == 1) continue;
    geometry.extents[kept] = cell.extents[axis];
    geometry.index_steps[kept] = steps[axis];
    for (std::size_t k = 0; k < cell.operands.size(); ++k)
      geometry.strides[k][kept] = cell.operands[k].strides[axis];
    ++kept;
  }
  for (std::size_t k = 0; k < cell.operands.size(); ++k) geometry.addresses[k] = cell.operands[k].address;
  geometry.axis_count = static_cast<int>(kept);
}

/// Reverses an axis when every operand that moves along it moves downwards in memory.
void flip_axes(Geometry& geometry) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(geometry.axis_count); ++axis) {
    bool is_downward = false, is_upward = false;
    for (const auto& strides : geometry.strides) {
      is_downward |= strides[axis] < 0;
      is_upward |= strides[axis] > 0;
    }
    if (!is_downward || is_upward) continue;
    const std::int64_t last = geometry.extents[axis] - 1;
    geometry.index += last * geometry.index_steps[axis];
    geometry.index_steps[axis] = -geometry.index_steps[axis];
    for (std::size_t k = 0; k < geometry.strides.size(); ++k) {
      geometry.addresses[k] += last * geometry.strides[k][axis];
      geometry.strides[k][axis] = -geometry.strides[k][axis];
    }
  }
}

/// True when axis `left` should be outside axis `right`. Written operands decide, then the others in order.
bool is_outer(const Geometry& geometry, const GeometryRules& rules, int left, int right) {
  const auto l = static_cast<std::size_t>(left), r = static_cast<std::size_t>(right);
  for (const bool written : {true, false}) {
    for (std::size_t k = 0; k < geometry.strides.size(); ++k) {
      if (rules.is_written[k] != written) continue;
      const std::int64_t left_stride = std::abs(geometry.strides[k][l]);
      const std::int64_t right_stride = std::abs(geometry.strides[k][r]);
      if (left_stride == 0 || right_stride == 0 || left_stride == right_stride) continue;
      return left_stride > right_stride;
    }
  }
  return true;
}

/// Insertion sort, because the relation is not always transitive, and axes are few and mostly in order.
void order_axes(Geometry& geometry, const GeometryRules& rules) {
  for (int axis = 1; axis < geometry.axis_count; ++axis) {
    for (int place = axis; place > 0 && !is_outer(geometry, rules, place - 1, place); --place) {
      swap_axes(geometry, place - 1, place);
    }
  }
}

bool can_merge(const Geometry& geometry, const GeometryRules& rules, std::size_t outer, std::size_t inner) {
  const std::int64_t extent = geometry.extents[inner];
  if (rules.needs_index && geometry.index_steps[outer] != geometry.index_steps[inner] * extent) return false;
  return std::all_of(geometry.strides.begin(), geometry.strides.end(),
                     [&](const auto& strides) { return strides[outer] == strides[inner] * extent; });
}

void merge_axes(Geometry& geometry, const GeometryRules& rules) {
  std::size_t kept = 0;
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(geometry.axis_count); ++axis) {
    const bool is_merged = can_merge(geometry, rules, kept, axis);
    const std::int64_t extent =
        is_merged ? geometry.extents[kept] * geometry.extents[axis] : geometry.extents[axis];
    if (!is_merged) ++kept;
    geometry.extents[kept] = extent;
    geometry.index_steps[kept] = geometry.index_steps[axis];
    for (auto& strides : geometry.strides) strides[kept] = strides[axis];
  }
  geometry.axis_count = static_cast<int>(kept) + 1;
}

/// The axis, other than the last, along which some operand is nearly contiguous while it has a large stride
/// along the last. A tile that is square over both axes uses every cache line that it reads. -1 when there is
/// none.
int crossing_axis(const Geometry& geometry) {
  constexpr std::int64_t far_bytes = 64, worth_extent = 16;
  const int last = geometry.axis_count - 1;
  const auto l = static_cast<std::size_t>(last);
  if (geometry.extents[l] < worth_extent) return -1;
  for (const auto& strides : geometry.strides) {
    if (std::abs(strides[l]) < far_bytes) continue;
    for (int axis = last - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (strides[a] != 0 && std::abs(strides[a]) < far_bytes && geometry.extents[a] >= worth_extent)
        return axis;
    }
  }
  return -1;
}

/// Elements from one row of the last axis to the next, when that is a little more than a row for most
/// operands; else 0.
std::int64_t pitch_with_gaps(const Geometry& geometry, const GeometryRules& rules) {
  constexpr std::int64_t shortest = 16, widest_gap = 8;  // gap: at most an eighth of a row
  if (geometry.axis_count < 2) return 0;
  const auto inner = static_cast<std::size_t>(geometry.axis_count - 1), outer = inner - 1;
  const std::int64_t row = geometry.extents[inner];
  if (row < shortest) return 0;
  std::int64_t pitch = 0;
  std::size_t with_pitch = 0, others = 0;
  for (std::size_t k = 0; k < geometry.strides.size(); ++k) {
    const auto& strides = geometry.strides[k];
    if (strides[inner] == 0) continue;
    const std::int64_t bytes = rules.item_bytes[k];
    const bool has_rows = strides[inner] == bytes && strides[outer] % bytes == 0;
    const std::int64_t own = has_rows ? strides[outer] / bytes : 0;
    if (pitch == 0 && own > row && own - row <= row / widest_gap) pitch = own;
    if (own != 0 && own == pitch)
      ++with_pitch;
    else
      ++others;
  }
  return with_pitch > others ? pitch : 0;
}

void shape_tiles(Geometry& geometry, const GeometryRules& rules) {
  const int last = geometry.axis_count - 1;
  geometry.row_pitch = 0;
  geometry.is_square = false;
  for (int axis = 0; axis <= last; ++axis) geometry.tile[static_cast<std::size_t>(axis)] = 1;
  if (const int crossing = crossing_axis(geometry); crossing >= 0) {
    geometry.is_square = true;
    for (const int axis : {crossing, last}) {
      const auto a = static_cast<std::size_t>(axis);
      geometry.tile[a] = std::min(geometry.extents[a], square_side(rules));
    }
    return;
  }
  // A long inner axis alone, in equal pieces: its operands can then be used in place, row by row.
  constexpr std::int64_t long_enough = 256, granule = 64;
  const auto inner = static_cast<std::size_t>(last);
  if (geometry.extents[inner] >= long_enough) {
    const std::int64_t pieces = (geometry.extents[inner] + rules.tile_elements - 1) / rules.tile_elements;
    const std::int64_t piece = (geometry.extents[inner] + pieces - 1) / pieces;
    geometry.tile[inner] = std::min(geometry.extents[inner], (piece + granule - 1) / granule * granule);
    return;
  }
  // Short ones with gaps between them as one piece of memory, in equal pieces too.
  if (const std::int64_t pitch = pitch_with_gaps(geometry, rules); pitch > 0) {
    const auto outer = inner - 1;
    const std::int64_t most =
        std::max<std::int64_t>(1, (rules.tile_elements - geometry.extents[inner]) / pitch + 1);
    const std::int64_t pieces = (geometry.extents[outer] + most - 1) / most;
    geometry.tile[inner] = geometry.extents[inner];
    geometry.tile[outer] = (geometry.extents[outer] + pieces - 1) / pieces;
    if (geometry.tile[outer] > 1) {
      geometry.row_pitch = pitch;
      return;
    }
    geometry.tile[inner] = 1;
  }
  // Short ones whole, as many as fit, then as many rows of them as fit.
  std::int64_t room = rules.tile_elements;
  for (int axis = last; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    geometry.tile[a] = std::min(geometry.extents[a], room);
    if (geometry.tile[a] < geometry.extents[a]) break;
    room /= geometry.extents[a];
  }
}

}  // namespace

std::int64_t Geometry::elements(const std::array<std::int64_t, protocol::max_dims>& of) const {
  const auto last = static_cast<std::size_t>(axis_count - 1);
  std::int64_t count = row_pitch > 0 ? (of[last - 1] - 1) * row_pitch + of[last] : of[last];
  const std::size_t outer = row_pitch > 0 ? last - 1 : last;
  for (std::size_t axis = 0; axis < outer; ++axis) count *= of[axis];
  return count;
}

bool Geometry::is_contiguous(std::size_t operand, std::int64_t item_bytes) const {
  if (row_pitch > 0) {
    const auto last = static_cast<std::size_t>(axis_count - 1);
    return strides[operand][last] == item_bytes && strides[operand][last - 1] == row_pitch * item_bytes;
  }
  std::int64_t expected = item_bytes;
  bool is_complete = true;  // every axis walked faster is whole inside the tile
  for (auto axis = static_cast<std::size_t>(axis_count); axis-- > 0;) {
    if (tile[axis] > 1) {
      if (!is_complete || strides[operand][axis] != expected) return false;
      expected *= extents[axis];
    }
    if (tile[axis] < extents[axis]) is_complete = false;
  }
  return true;
}

bool Geometry::is_scalar(std::size_t operand) const {
  return std::all_of(strides[operand].begin(), strides[operand].begin() + axis_count,
                     [](std::int64_t stride) { return stride == 0; });
}

bool Geometry::is_single(std::size_t operand) const {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axis_count); ++axis) {
    if (tile[axis] > 1 && strides[operand][axis] != 0) return false;
  }
  return true;
}

bool Geometry::is_invariant(std::size_t operand) const {
  bool has_several_tiles = false;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axis_count); ++axis) {
    if (tile[axis] == extents[axis]) continue;
    has_several_tiles = true;
    if (strides[operand][axis] != 0) return false;
  }
  return has_several_tiles;
}

void plan_cell(const Cell& cell, const GeometryRules& rules, Geometry& geometry) {
  geometry.is_empty = false;
  copy_axes(cell, geometry);
  if (geometry.is_empty) return;
  if (geometry.axis_count == 0) {  // one element: an axis that every operand is contiguous along
    geometry.axis_count = 1;
    geometry.row_pitch = 0;
    geometry.is_square = false;
    geometry.extents[0] = 1;
    geometry.tile[0] = 1;
    geometry.index_steps[0] = 1;
    for (auto& strides : geometry.strides) strides[0] = 0;
    return;
  }
  flip_axes(geometry);
  order_axes(geometry, rules);
  merge_axes(geometry, rules);
  shape_tiles(geometry, rules);
}

}  // namespace gamelan::engine::tiles
