// SPDX-License-Identifier: BSD-3-Clause
// How the result of a matrix product is cut into calls of BLAS, for run_matmul.cpp.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/distribution/ranges.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::steps {

/// Cuts one axis of the result into the tiles that overlap `part`. Adjacent tiles inside it are joined, up to
/// `most` indices (0: none are joined), the last one if it is whole or `joins_last`.
inline std::vector<distribution::Interval> cut(const distribution::Interval& part, std::int64_t extent,
                                               std::int64_t length, std::int64_t most,
                                               bool joins_last = false) {
  std::vector<distribution::Interval> pieces;
  bool may_grow = false;
  for (auto first = part.first / length * length; first < std::min(part.last, extent); first += length) {
    const distribution::Interval tile{first, std::min(first + length, extent)};
    const bool may_join =
        (joins_last || tile.size() == length) && distribution::intersection(tile, part) == tile;
    if (may_join && may_grow && pieces.back().size() + tile.size() <= most)
      pieces.back().last = tile.last;
    else
      pieces.push_back(tile);
    may_grow = may_join;
  }
  return pieces;
}

/// Tiles of a product in float64 whose adjacent ones are joined to one call, which packs its operands once.
/// Their elements have the same bits in every call that contains them as a whole (measured with OpenBLAS
/// 0.3.21, for each of its processors of x86-64): the edge of a matrix, which rounds otherwise, begins where
/// a whole number of units ends.
struct JoinedTiles {
  /// Rows or columns that a kernel takes at a time.
  static constexpr std::int64_t unit = 8;
  /// Elements of the inner axis.
  static constexpr std::int64_t least_inner = 64;
  /// Elements of the result, where rows of the left operand and columns of the right one lie in one piece:
  /// smaller ones are dot products, added in another order.
  static constexpr std::int64_t least_area = 1201;
  /// Of a call: bounds what is packed.
  static constexpr std::int64_t most_rows = 16 * plan::matmul_tile_rows,
                                most_columns = 16 * plan::matmul_tile_columns;

  std::int64_t columns = 0;    ///< of the result, before its edge and before a last tile that is too narrow
  std::int64_t height = unit;  ///< of a tile, as low as may be: one that two ranks share is computed by both

  /// \param extent columns of the result
  /// \param are_dots rows of the left operand and columns of the right one lie in one piece
  JoinedTiles(std::int64_t extent, bool are_dots) : columns(extent / unit * unit) {
    const auto last = columns % plan::matmul_tile_columns;
    if (!are_dots || last == 0) return;
    const auto rows = (least_area + last * unit - 1) / (last * unit) * unit;
    if (rows > plan::matmul_tile_rows)
      columns -= last;
    else
      height = rows;
  }

  /// Cuts the columns of the result: joined tiles, and then what is never joined.
  std::vector<distribution::Interval> cut_columns(const distribution::Interval& part,
                                                  std::int64_t extent) const {
    auto pieces = cut(part, columns, plan::matmul_tile_columns, most_columns, true);
    if (part.last > columns && extent > columns) pieces.push_back({columns, extent});
    return pieces;
  }
  /// How many columns a call takes of joined ones, for so many rows. A lone tile is cut: OpenBLAS multiplies
  /// small matrices without packing the right operand once more.
  std::int64_t together(std::int64_t rows, std::int64_t joined) const {
    return rows > height && rows % height == 0 ? joined : plan::matmul_tile_columns;
  }
};

/// Rows and columns of the result.
struct Part {
  distribution::Interval rows, columns;
};

/// The parts of a block of a halved product (plan::Matmul) whose tiles are computed, or those that are
/// mirrored: the rows of one tile each, as wide as they can be. `extent`: rows of the whole.
inline std::vector<Part> gram_parts(const distribution::Interval& rows, const distribution::Interval& columns,
                                    std::int64_t extent, bool are_computed) {
  constexpr auto side = plan::matmul_tile_columns;
  const auto tiles = (extent + side - 1) / side;
  std::vector<Part> parts;
  for (auto row = rows.first / side; row * side < rows.last; ++row) {
    const auto of_row = distribution::intersection(rows, {row * side, (row + 1) * side});
    bool goes_on = false;
    for (auto column = columns.first / side; column * side < columns.last; ++column) {
      const bool is_meant = plan::gram_computes(row, column, tiles) == are_computed;
      const auto tile = distribution::intersection(columns, {column * side, (column + 1) * side});
      if (is_meant && goes_on)
        parts.back().columns.last = tile.last;
      else if (is_meant)
        parts.push_back({of_row, tile});
      goes_on = is_meant;
    }
  }
  // A tile on the diagonal is computed whole, and its two halves round differently in some kernels of BLAS:
  // what is above the diagonal is mirrored.
  if (are_computed) return parts;
  for (auto row = rows.first; row < rows.last; ++row) {
    const auto above = distribution::intersection(columns, {row + 1, (row / side + 1) * side});
    if (above.size() > 0) parts.push_back({{row, row + 1}, above});
  }
  return parts;
}

}  // namespace gamelan::engine::steps
