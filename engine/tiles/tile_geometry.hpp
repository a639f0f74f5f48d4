// SPDX-License-Identifier: BSD-3-Clause
// How a cell is cut into tiles: which axes are merged, in which order the tiles go over them, and the box of
// some thousand bytes that is one tile. Pure arithmetic on extents and strides, used by the tile
// interpreter only. Short rows of larger arrays (the interior of a padded grid) have small gaps between them.
// A tile of such rows includes the gaps: then it is one contiguous part of every operand's memory and can be
// computed in place. Only stores leave the gaps out.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_program.hpp"
#include "protocol/view.hpp"

namespace gamelan::engine::tiles {

/// The axes of a cell after dropping those of extent 1, ordering, flipping and merging. The last axis is the
/// innermost.
struct Geometry {
  int axis_count = 0;  ///< at least 1 unless empty
  bool is_empty = false;
  std::array<std::int64_t, protocol::max_dims> extents{};
  std::array<std::int64_t, protocol::max_dims>
      tile{};                  ///< extents of a full tile; gaps included at most as many as the rules say
  std::int64_t row_pitch = 0;  ///< elements between rows of the last axis in a tile with gaps, or 0
  bool is_square = false;      ///< two axes are cut: at the edges tiles are shorter along either
  std::array<std::int64_t, protocol::max_dims> index_steps{};
  std::int64_t index = 0;             ///< linear C-order index of the first element in `shape`
  std::vector<std::byte*> addresses;  ///< of each operand's first element, in this order
  std::vector<std::array<std::int64_t, protocol::max_dims>> strides;  ///< [operand][axis], bytes

  /// Elements of a tile of these extents, gaps included.
  std::int64_t elements(const std::array<std::int64_t, protocol::max_dims>& of) const;
  /// True when the elements of each full tile are contiguous memory for an operand, gaps included.
  bool is_contiguous(std::size_t operand, std::int64_t item_bytes) const;
  /// True when an operand is one repeated element, in the whole cell or within each tile.
  bool is_scalar(std::size_t operand) const;
  bool is_single(std::size_t operand) const;
  /// True when there are several tiles and all read the same elements of an operand (shorter tiles: the first
  /// of these). One register tile of these elements then serves all tiles, or where `is_square` all tiles of
  /// one shape.
  bool is_invariant(std::size_t operand) const;
};

/// What is the same for all cells: which operands are written (their order in memory decides the order of
/// tiles), element sizes, how long tiles should be, and whether the linear index matters. If it does, it must
/// merge with the axes as operands do.
struct GeometryRules {
  std::vector<bool> is_written;
  std::vector<std::int64_t> item_bytes;
  bool needs_index = false;
  std::int64_t tile_elements = tiles::tile_elements;
};

/// Fills `geometry`, reusing its memory.
void plan_cell(const Cell& cell, const GeometryRules& rules, Geometry& geometry);

}  // namespace gamelan::engine::tiles
