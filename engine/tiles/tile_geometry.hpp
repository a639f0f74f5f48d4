// SPDX-License-Identifier: BSD-3-Clause
// How a cell is cut into tiles: which axes merge, in which order they are walked, and the box of at most
// 1,024 elements that is one tile. Pure arithmetic on extents and strides, used by the tile interpreter only.
// Short rows of larger arrays (the inside of a padded grid) lie a little apart. A tile of them keeps those
// gaps: it is then one piece of every operand's memory, computed in place, and only what is stored leaves out
// what lies between.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_program.hpp"
#include "protocol/view.hpp"

namespace gamelan::engine::tiles {

/// The axes of a cell after dropping those of extent 1, ordering, flipping and merging; the last is walked
/// fastest.
struct Geometry {
  int axis_count = 0;  ///< at least 1 unless empty
  bool is_empty = false;
  std::array<std::int64_t, protocol::max_dims> extents{};
  std::array<std::int64_t, protocol::max_dims>
      tile{};                  ///< extents of a full tile; gaps included <= tile_elements
  std::int64_t row_pitch = 0;  ///< elements between rows of the last axis in a tile with gaps, or 0
  bool is_square = false;      ///< two axes are cut: at the edges tiles are shorter along either
  std::array<std::int64_t, protocol::max_dims> index_steps{};
  std::int64_t index = 0;             ///< linear C-order index of the first element in `shape`
  std::vector<std::byte*> addresses;  ///< of each operand's first element in walking order
  std::vector<std::array<std::int64_t, protocol::max_dims>> strides;  ///< [operand][axis], bytes

  /// Elements of a tile of these extents, gaps included.
  std::int64_t elements(const std::array<std::int64_t, protocol::max_dims>& of) const;
  /// Whether the elements of each full tile are consecutive memory for an operand, in walking order, gaps
  /// included.
  bool is_contiguous(std::size_t operand, std::int64_t item_bytes) const;
  /// Whether an operand is one repeated element, in the whole cell or within each tile.
  bool is_scalar(std::size_t operand) const;
  bool is_single(std::size_t operand) const;
  /// Whether there are several tiles and all read the same elements of an operand, or the first ones of these
  /// where a tile is shorter. A register tile of them serves tiles of one shape where `is_square`, else all
  /// tiles.
  bool is_invariant(std::size_t operand) const;
};

/// What does not change from cell to cell: operands that are written (their order in memory decides the
/// walk), their element sizes, whether the linear index matters, which then has to merge with the axes as
/// operands do, and how long tiles should be.
struct GeometryRules {
  std::vector<bool> is_written;
  std::vector<std::int64_t> item_bytes;
  bool needs_index = false;
  std::int64_t tile_elements = tiles::tile_elements;
};

/// Fills `geometry`, reusing its memory.
void plan_cell(const Cell& cell, const GeometryRules& rules, Geometry& geometry);

}  // namespace gamelan::engine::tiles
