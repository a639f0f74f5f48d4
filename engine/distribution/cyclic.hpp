// SPDX-License-Identifier: BSD-3-Clause
// ScaLAPACK's layout of a matrix: square blocks are dealt out over a grid of ranks, row by row and column by
// column. A rank stores its blocks as one matrix in column-major order. Pure arithmetic, identical on all
// ranks.
#pragma once
#include <algorithm>
#include <cstdint>

namespace gamelan::engine::distribution {

/// The layout of one matrix: its extents, the side of a block, and the grid of ranks, numbered in C order.
/// Ranks beyond the grid own nothing.
struct Cyclic {
  std::int64_t rows = 0, columns = 0, block = 1;
  int grid_rows = 1, grid_columns = 1;

  int ranks() const { return grid_rows * grid_columns; }
  bool takes_part(int rank) const { return rank < ranks(); }
  int row_of(int rank) const { return rank / grid_columns; }
  int column_of(int rank) const { return rank % grid_columns; }
  /// The rank that owns element (i, j).
  int owner(std::int64_t i, std::int64_t j) const {
    return static_cast<int>(i % grid_rows) * grid_columns + static_cast<int>(j % grid_columns);
  }
  /// How many indices of an axis belong to part `part` of `parts`.
  static std::int64_t share(std::int64_t extent, std::int64_t block, int part, int parts);
  std::int64_t local_rows(int rank) const { return share(rows, block, row_of(rank), grid_rows); }
  std::int64_t local_columns(int rank) const { return share(columns, block, column_of(rank), grid_columns); }
  /// Leading dimension: elements from one column to the next in a rank's memory.
  std::int64_t leading(int rank) const { return std::max<std::int64_t>(local_rows(rank), 1); }
  /// The number of elements of the rank that has most.
  std::int64_t largest() const {
    return std::max<std::int64_t>(share(rows, block, 0, grid_rows), 1) *
           share(columns, block, 0, grid_columns);
  }
  bool operator==(const Cyclic&) const = default;
};

/// The grid that is as square as `ranks` ranks allow, never with more rows than columns. The last ranks may
/// be left out.
Cyclic cyclic(std::int64_t rows, std::int64_t columns, std::int64_t block, int ranks);

}  // namespace gamelan::engine::distribution
