// SPDX-License-Identifier: BSD-3-Clause
// Which matrix products are cut along their inner axis (MatmulChunks), and into what. Which are halved.
#include <algorithm>

#include "engine/plan/step_linalg.hpp"

namespace gamelan::engine::plan {

bool is_gram(const Matmul& product) {
  const auto &left = product.left.placement, &right = product.right.placement;
  const auto is_same = [](const protocol::AxisMap& one, const protocol::AxisMap& other) {
    return one.base_axis == other.base_axis && one.start == other.start && one.step == other.step;
  };
  // An axis of a placement has a start and a step and no extent: a.T[:5] @ a[:, :7] begins alike, too.
  return product.extents[0] == product.extents[1] && product.left.slot == product.right.slot &&
         left.base == right.base && left.within == right.within && left.map.axes.size() == 2 &&
         right.map.axes.size() == 2 && is_same(left.map.axes[0], right.map.axes[1]) &&
         is_same(left.map.axes[1], right.map.axes[0]) && left.map.fixed == right.map.fixed;
}

bool is_halved(const Matmul& product) {
  constexpr std::int64_t fewest_rows = 512, least_inner = 64;
  const bool has_blas = product.dtype == Dtype::float64 || product.dtype == Dtype::float32;
  return has_blas && product.extents.size() == 2 && product.extents[0] >= fewest_rows &&
         product.inner >= least_inner && is_gram(product);
}

bool gram_computes(std::int64_t row, std::int64_t column, std::int64_t tiles) {
  const auto ahead = (column - row + tiles) % tiles;  // along the row, and on from its beginning
  if (2 * ahead != tiles) return 2 * ahead < tiles;
  return (std::min(row, column) % 2 == 0) == (row < column);
}

std::int64_t matmul_chunk_length(const Matmul& product) {
  constexpr std::int64_t unit = 256, most_chunks = 64;
  // A larger result is cut only where chunks halve the work. Each of them has a table of the result's size:
  // many small ones, where these are little beside the operand.
  constexpr std::int64_t largest_gram = 512, fewest_chunks = 16, operand_of_table = 8;
  const auto& extents = product.extents;
  if (extents.size() != 2 || protocol::element_count(extents) == 0) return 0;
  if (product.inner < 2 * unit || product.inner < 4 * std::max(extents[0], extents[1])) return 0;
  const bool is_tile = extents[0] <= matmul_tile_rows && extents[1] <= matmul_tile_columns;
  const bool may_halve = product.dtype == Dtype::float64 || product.dtype == Dtype::float32;
  if (!is_tile && !(may_halve && extents[0] <= largest_gram && is_gram(product))) return 0;
  const auto chunks =
      is_tile ? most_chunks
              : std::clamp(product.inner / (operand_of_table * extents[0]), fewest_chunks, most_chunks);
  const auto together = chunks * unit;
  return (product.inner + together - 1) / together * unit;
}

}  // namespace gamelan::engine::plan
