// SPDX-License-Identifier: BSD-3-Clause
// ScaLAPACK's way to lay out a matrix: square blocks dealt out over a grid of ranks, row by row and column by
// column; a rank keeps its blocks as one matrix whose columns lie together. Pure arithmetic, identical on all
// ranks.
#pragma once
#include <algorithm>
#include <cstdint>

namespace gamelan::engine::distribution {

struct Cyclic {
  std::int64_t rows = 0, columns = 0, block = 1;
  int grid_rows = 1, grid_columns = 1;

  int ranks() const { return grid_rows * grid_columns; }
  bool takes_part(int rank) const { return rank < ranks(); }
  int row_of(int rank) const { return rank / grid_columns; }
  int column_of(int rank) const { return rank % grid_columns; }
  /// The rank that has block (i, j).
  int owner(std::int64_t i, std::int64_t j) const {
    return static_cast<int>(i % grid_rows) * grid_columns + static_cast<int>(j % grid_columns);
  }
  /// How much of an axis lies with part `part` of `parts`.
  static std::int64_t share(std::int64_t extent, std::int64_t block, int part, int parts);
  std::int64_t local_rows(int rank) const { return share(rows, block, row_of(rank), grid_rows); }
  std::int64_t local_columns(int rank) const { return share(columns, block, column_of(rank), grid_columns); }
  /// Elements from column to column in a rank's memory.
  std::int64_t leading(int rank) const { return std::max<std::int64_t>(local_rows(rank), 1); }
  /// Elements that the fullest rank has.
  std::int64_t largest() const {
    return std::max<std::int64_t>(share(rows, block, 0, grid_rows), 1) *
           share(columns, block, 0, grid_columns);
  }
  bool operator==(const Cyclic&) const = default;
};

/// As square a grid as so many ranks can make; the last ones may be left out. Never more rows than columns.
Cyclic cyclic(std::int64_t rows, std::int64_t columns, std::int64_t block, int ranks);

}  // namespace gamelan::engine::distribution
