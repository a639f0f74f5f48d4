// SPDX-License-Identifier: BSD-3-Clause
// Matrix product: each rank computes its block of the result, panel by panel of the inner axis. It reads the
// operands where they lie (on the same node), and packs what lies in several blocks.
#include <algorithm>
#include <cstring>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/linalg/matmul_panels.hpp"
#include "engine/steps/linalg/product_tiles.hpp"
#include "engine/steps/linalg/run_matmul_stack.hpp"
#include "engine/steps/linalg/tiny_matmul.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using distribution::Interval;
using protocol::Shape;

// Everything is cut by the shape alone, not by the blocks, because BLAS rounds differently at the edge of a
// matrix and within it. Within it, rounding does not depend on the size in float64 (in other dtypes
// OpenBLAS's kernels differ, on some processors). In float64, adjacent tiles within it are one call
// (product_tiles.hpp).
constexpr std::int64_t panel = 256;  // of the inner axis
// Times a vector: dense rows are read where they lie, other panels are packed where they cross the end of a
// block. Tiles are small, because a tile that two ranks share is computed by both: a multiple of what gemv's
// kernels take at a time.
constexpr std::int64_t dense_panel = 8192, vector_panel = 64, vector_tile = 16;
// Where every second product goes backwards, a call of BLAS has so many rows, or so many elements where rows
// are short.
constexpr std::int64_t vector_rows = 4 * vector_tile, vector_elements = 8192;

/// y += a x, for dense rows, the last ones first if wanted.
void add_vector_product(std::int64_t rows, std::int64_t inner, const tiles::MatrixInMemory& a,
                        const tiles::MatrixInMemory& x, std::byte* y, bool is_backwards) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(double));
  const auto together = std::max(vector_rows, vector_elements / inner / vector_tile * vector_tile);
  const auto calls = (rows + together - 1) / together;
  for (std::int64_t call = 0; call < calls; ++call) {
    const auto first = (is_backwards ? calls - 1 - call : call) * together;
    const auto* const from = static_cast<const std::byte*>(a.data) + first * a.leading * item;
    tiles::gemm(protocol::Dtype::float64, std::min(together, rows - first), 1, inner, {from, a.leading}, x,
                y + first * item, 1, true);
  }
}

}  // namespace

void run(const StepContext& context, const plan::Matmul& matmul) {
  const auto& layout = context.info(matmul.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const Box mine = layout.box(context.rank());
  const auto dims = mine.size();
  if (run_stack(context, matmul, mine)) return;
  std::byte* result = context.own_block(matmul.out);
  if (is_tiny(matmul) && !is_empty(mine)) {
    if (matmul.dtype == protocol::Dtype::float32)
      return multiply_tiny(context, matmul, mine[0], mine[1], reinterpret_cast<float*>(result));
    return multiply_tiny(context, matmul, mine[0], mine[1], reinterpret_cast<double*>(result));
  }
  const auto item = protocol::size_of(matmul.dtype);
  std::memset(result, 0, static_cast<std::size_t>(volume(mine)) * item);
  if (is_empty(mine) || matmul.inner == 0) return;

  const auto rows = mine[dims - 2], columns = mine[dims - 1];
  Panels left(context, matmul.left, matmul.dtype), right(context, matmul.right, matmul.dtype);
  // Along dense rows a long panel pays; across them it would seldom lie with one rank.
  const bool is_along_rows = matmul.extents[dims - 1] == 1   ? !left.is_transposed()
                             : matmul.extents[dims - 2] == 1 ? right.is_transposed()
                                                             : false;
  const bool is_double = matmul.dtype == protocol::Dtype::float64;
  // Iterations read one matrix again and again; of one that is twice as large as the cache half is still
  // there.
  const bool takes_turns = is_along_rows && columns.size() == 1 && is_double;
  const bool is_backwards = takes_turns && context.workspace().begins_at_the_end();
  std::vector<std::byte> whole_tile;
  /// Adds one panel's share of one tile of the result to the part that is wanted. A tile that is cut by the
  /// end of the part is computed as a whole, as on the rank that has the other part.
  const auto add_panel = [&](const Part& part, const Interval& i, const Interval& j, std::int64_t depth,
                             const tiles::MatrixInMemory& a, const tiles::MatrixInMemory& b) {
    const auto own_i = distribution::intersection(i, part.rows),
               own_j = distribution::intersection(j, part.columns);
    std::byte* own = result + static_cast<std::size_t>((own_i.first - rows.first) * columns.size() +
                                                       own_j.first - columns.first) *
                                  item;
    // gemv rounds otherwise where the elements of its result have others between them.
    const bool is_dense = j.size() > 1 || columns.size() == 1;
    if (own_i == i && own_j == j && is_dense) {
      if (takes_turns && !a.is_transposed)
        add_vector_product(i.size(), depth, a, b, own, is_backwards);
      else
        tiles::gemm(matmul.dtype, i.size(), j.size(), depth, a, b, own, columns.size(), true);
      return;
    }
    whole_tile.assign(static_cast<std::size_t>(i.size() * j.size()) * item, std::byte{0});
    const auto corner =
        static_cast<std::size_t>((own_i.first - i.first) * j.size() + own_j.first - j.first) * item;
    const auto bytes = static_cast<std::int64_t>(item);
    const Shape extents{own_i.size(), own_j.size()}, own_strides{columns.size() * bytes, bytes},
        tile_strides{j.size() * bytes, bytes};
    copy_box(matmul.dtype, matmul.dtype, extents, own, own_strides, whole_tile.data() + corner, tile_strides);
    tiles::gemm(matmul.dtype, i.size(), j.size(), depth, a, b, whole_tile.data(), j.size(), true);
    copy_box(matmul.dtype, matmul.dtype, extents, whole_tile.data() + corner, tile_strides, own, own_strides);
  };
  const bool is_vector = is_double && std::min(matmul.extents[dims - 2], matmul.extents[dims - 1]) == 1;
  const auto panel_length = is_along_rows ? dense_panel : is_vector ? vector_panel : panel;
  const auto tile_rows = is_vector ? vector_tile : plan::matmul_tile_rows,
             tile_columns = is_vector ? vector_tile : plan::matmul_tile_columns;
  const JoinedTiles joined(matmul.extents[dims - 1], right.is_transposed() && !left.is_transposed());
  Box one;  // of the stack
  const auto in_batch = [&](const Interval& i, const Interval& j) {
    Box box = one;
    box.insert(box.end(), {i, j});
    return box;
  };
  const auto multiply = [&](const Part& part) {
    for (std::int64_t first = 0; first < matmul.inner; first += panel_length) {
      const Interval inner{first, std::min(first + panel_length, matmul.inner)};
      const bool may_join = inner.size() >= JoinedTiles::least_inner && is_double && !is_vector;
      const auto most = is_vector ? JoinedTiles::most_columns : 0;
      for (const auto& j : may_join ? joined.cut_columns(part.columns, matmul.extents[dims - 1])
                                    : cut(part.columns, matmul.extents[dims - 1], tile_columns, most)) {
        const auto b = right.at(in_batch(inner, j));
        const bool are_joined = may_join && j.last <= joined.columns;
        const bool may_join_rows =
            are_joined || (is_vector && (j.size() % tile_columns == 0 || matmul.extents[dims - 1] == 1));
        auto parts = cut(part.rows, matmul.extents[dims - 2], are_joined ? joined.height : tile_rows,
                         may_join_rows ? JoinedTiles::most_rows : 0);
        if (is_backwards) std::reverse(parts.begin(), parts.end());
        for (const auto& i : parts) {
          const auto a = left.at(in_batch(i, inner));
          const auto together = are_joined ? joined.together(i.size(), j.size()) : j.size();
          for (auto column = j.first; column < j.last; column += together) {
            add_panel(
                part, i, {column, std::min(column + together, j.last)}, inner.size(), a,
                {static_cast<const std::byte*>(b.data) +
                     (column - j.first) * (b.is_transposed ? b.leading : 1) * static_cast<std::int64_t>(item),
                 b.leading, b.is_transposed});
            context.progress();  // others wait for this rank's panels
          }
        }
      }
    }
  };
  Box batch(mine.begin(), mine.end() - 2);
  Shape index;
  for (const auto& axis : batch) index.push_back(axis.first);
  while (true) {
    one.clear();
    for (const auto i : index) one.push_back({i, i + 1});
    if (matmul.is_halved)
      for (const auto& part : gram_parts(rows, columns, matmul.extents[1], true))
        for (const auto& piece : right.cut_at_blocks({{0, matmul.inner}, part.columns}, tile_columns))
          multiply({part.rows, piece});
    else
      multiply({rows, columns});
    result += static_cast<std::size_t>(rows.size() * columns.size()) * item;
    std::size_t k = batch.size();
    while (k > 0 && ++index[k - 1] == batch[k - 1].last) {
      --k;
      index[k] = batch[k].first;
    }
    if (k == 0) return;
  }
}

void run(const StepContext& context, const plan::MirrorTiles& mirror) {
  const auto& layout = context.info(mirror.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const Box mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  const auto item = static_cast<std::int64_t>(protocol::size_of(mirror.dtype));
  const auto row_bytes = mine[1].size() * item;
  std::byte* const block = context.own_block(mirror.out);
  for (const auto& part : gram_parts(mine[0], mine[1], layout.axes[1].extent, false)) {
    std::byte* const to =
        block + (part.rows.first - mine[0].first) * row_bytes + (part.columns.first - mine[1].first) * item;
    copy_operand(context, mirror.mirrored, mirror.dtype, mirror.dtype, {part.rows, part.columns}, to,
                 {row_bytes, item});
    context.progress();
  }
}

}  // namespace gamelan::engine::steps
