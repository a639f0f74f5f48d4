// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/block_folds.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/context.hpp"
#include "engine/steps/folds/count_blocks.hpp"
#include "engine/steps/indices.hpp"
#include "engine/tiles/loops/fold.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

constexpr std::int64_t short_row =
    32;                                // truth values: shorter ones are cast, longer ones counted as they lie
constexpr std::int64_t long_row = 16;  // results: from here on rows are folded where they lie

/// Folds all reduction blocks of each result where they lie: `inner` results at a time, which are the last
/// axes of `grid` and kept. The order is that of fold_pairs. The results are moved together as they come:
/// never further than to where the next ones begin.
void complete_in_place(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold, const Shape& grid,
                       std::int64_t inner, std::byte* partials) {
  const Shape strides = protocol::contiguous_strides(grid, protocol::size_of(fold.loop));
  const auto row_bytes = inner * static_cast<std::int64_t>(protocol::size_of(fold.loop));
  Shape kept, kept_strides, reduced, reduced_strides;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (grid[k] == 1 || strides[k] < row_bytes) continue;
    (step.reduced[k] ? reduced : kept).push_back(grid[k]);
    (step.reduced[k] ? reduced_strides : kept_strides).push_back(strides[k]);
  }
  const auto offset_of = [](const Shape& at, const Shape& by) {
    return std::inner_product(at.begin(), at.end(), by.begin(), std::int64_t{0});
  };
  std::vector<std::int64_t> blocks;  // bytes from the first
  for_each_index(reduced, [&](const Shape& at) { blocks.push_back(offset_of(at, reduced_strides)); });
  std::byte* out = partials;
  for_each_index(kept, [&](const Shape& at) {
    std::byte* first = partials + offset_of(at, kept_strides);
    for (std::size_t distance = 1; distance < blocks.size(); distance *= 2)
      for (std::size_t q = 0; q + distance < blocks.size(); q += 2 * distance)
        tiles::fold_rows(fold.op, fold.loop, first + blocks[q + distance], 1, inner, first + blocks[q]);
    if (out != first) std::memmove(out, first, static_cast<std::size_t>(row_bytes));
    out += row_bytes;
  });
}

/// Rows of products of which one factor is the same in all of them (`(A * x).sum(axis=1)`).
struct SharingRows {
  const std::byte *values, *factors;
  std::int64_t value_pitch, factor_pitch;  ///< bytes
  std::int64_t rows, length, run, item;    ///< of `length` elements in runs of `run`
};

/// One row after the other: the common factor stays in a cache.
void fold_products_row_by_row(protocol::Op op, protocol::Dtype loop, const SharingRows& of, std::byte* out) {
  const auto products = tiles::find_fold_products(
      op, loop, tiles::Streams::one, of.value_pitch == 0 ? tiles::Factor::right : tiles::Factor::left);
  const auto whole = of.length / of.run, rest = of.length % of.run;
  const auto behind = whole * of.run * of.item;
  for (std::int64_t row = 0; row < of.rows; ++row) {
    const auto *left = of.values + row * of.value_pitch, *right = of.factors + row * of.factor_pitch;
    products(left, right, whole, of.run, out);
    out += whole * of.item;
    if (rest == 0) continue;
    products(left + behind, right + behind, 1, rest, out);
    out += of.item;
  }
}

/// Four rows side by side, run by run: a piece of the common factor is read from the first-level cache, and
/// four streams come from memory at once.
void fold_products_of_rows(protocol::Op op, protocol::Dtype loop, const SharingRows& of, std::byte* out) {
  constexpr std::int64_t in_a_cache = 4 << 20;  // bytes of a row
  if (tiles::best_streams() == tiles::Streams::one && of.length * of.item <= in_a_cache)
    return fold_products_row_by_row(op, loop, of, out);
  constexpr std::int64_t together = 4;
  const auto products = tiles::find_fold_products(op, loop);
  const auto four_products = tiles::find_fold_four_products(op, loop);
  const auto runs = (of.length + of.run - 1) / of.run;
  for (std::int64_t row = 0; row < of.rows; row += together)
    for (std::int64_t run = 0; run < runs; ++run) {
      const auto begin = run * of.run * of.item, length = std::min(of.run, of.length - run * of.run);
      const auto count = std::min(together, of.rows - row);
      const void *left[together], *right[together];
      void* to[together];
      for (std::int64_t k = 0; k < count; ++k) {
        left[k] = of.values + (row + k) * of.value_pitch + begin;
        right[k] = of.factors + (row + k) * of.factor_pitch + begin;
        to[k] = out + ((row + k) * runs + run) * of.item;
      }
      if (count == together)
        four_products(left, right, length, to);
      else
        for (std::int64_t k = 0; k < count; ++k) products(left[k], right[k], 1, length, to[k]);
    }
}

}  // namespace

void complete_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold, const Shape& grid,
                     std::vector<std::byte>& partials) {
  if (!step.is_complete) return;
  const auto item = protocol::size_of(fold.loop);
  const Shape strides = protocol::contiguous_strides(grid, item);
  Shape extents, from;  // reduction blocks outermost
  std::int64_t blocks = 1;
  for (const bool reduced : {true, false})
    for (std::size_t k = 0; k < grid.size(); ++k) {
      if (step.reduced[k] != reduced || grid[k] == 1) continue;
      extents.push_back(grid[k]);
      from.push_back(strides[k]);
      if (reduced) blocks *= grid[k];
    }
  if (blocks == 1) return;
  std::int64_t inner = 1;
  for (std::size_t k = grid.size(); k-- > 0 && (grid[k] == 1 || !step.reduced[k]);) inner *= grid[k];
  if (inner >= long_row) return complete_in_place(step, fold, grid, inner, partials.data());
  const auto elements = protocol::element_count(grid);
  std::vector<std::byte> results(static_cast<std::size_t>(elements) * item);
  copy_box(fold.loop, fold.loop, extents, partials.data(), from, results.data(),
           protocol::contiguous_strides(extents, item));
  tiles::fold_pairs(fold.op, fold.loop, results.data(), blocks, elements / blocks);
  std::memcpy(partials.data(), results.data(), static_cast<std::size_t>(elements / blocks) * item);
}

void fold_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                 const ReductionBlocks& blocks, std::vector<std::byte>& partials) {
  const auto& [values, strides, extents, grid, are_truths, are_in_cache, factors, factor_strides] = blocks;
  const auto dims = grid.size();
  const auto item = static_cast<std::int64_t>(protocol::size_of(fold.loop));
  partials.resize(static_cast<std::size_t>(protocol::element_count(grid) * item));
  const auto last = std::find_if(extents.rbegin(), extents.rend(), [](auto extent) { return extent != 1; });
  if (are_truths && last != extents.rend() && *last < short_row) {  // they would be counted a few at a time
    std::vector<std::byte> wide(static_cast<std::size_t>(protocol::element_count(extents) * item));
    const Shape packed = protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
    copy_box(protocol::Dtype::bool_, fold.loop, extents, values, strides, wide.data(), packed);
    return fold_blocks(step, fold, {wide.data(), packed, extents, grid, false, true}, partials);
  }
  if (are_truths) {
    count_blocks(step.block_extents, values, strides, extents, grid, partials);
    complete_blocks(step, fold, grid, partials);
    return;
  }
  const bool is_packed = strides == protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
  std::byte* out = partials.data();
  const bool runs_are_kept = dims > 0 && !step.reduced[dims - 1];
  if (runs_are_kept) {  // vectors along the last axes, one row of the reduction block after another
    std::size_t outer_dims = dims - 1;
    std::int64_t length = extents.back();
    const auto goes_on = [&](std::size_t k) {
      return extents[k] == 1 || (!step.reduced[k] && strides[k] == length * item);
    };
    for (; outer_dims > 0 && goes_on(outer_dims - 1); --outer_dims) length *= extents[outer_dims - 1];
    Shape outer(grid.begin(), grid.begin() + static_cast<std::ptrdiff_t>(outer_dims));
    bool are_adjacent = is_packed,
         is_whole = true;  // rows of a reduction block; all axes between it and the last
    for (std::size_t k = outer_dims; k-- > 0;) {
      are_adjacent = are_adjacent && (is_whole || step.block_extents[k] == 1);
      is_whole = is_whole && grid[k] == 1;
    }
    const auto add_rows = tiles::find_fold_rows(fold.op, fold.loop);
    for_each_index(outer, [&](const Shape& at) {
      Shape rows(outer_dims);
      std::int64_t start = 0;
      for (std::size_t k = 0; k < outer_dims; ++k) {
        rows[k] = std::min(step.block_extents[k], extents[k] - at[k] * step.block_extents[k]);
        start += at[k] * step.block_extents[k] * strides[k];
      }
      if (are_adjacent) {
        tiles::fold_rows_fresh(fold.op, fold.loop, values + start, protocol::element_count(rows), length,
                               out);
        out += length * item;
        return;
      }
      while (!rows.empty() && rows.back() == 1) rows.pop_back();
      std::int64_t count = 1, pitch = item;  // of the rows that are folded by one call
      if (!rows.empty()) {
        count = rows.back();
        pitch = strides[rows.size() - 1];
        rows.pop_back();
      }
      bool is_first = true;
      for_each_index(rows, [&](const Shape& row) {
        std::int64_t offset = start;
        for (std::size_t k = 0; k < row.size(); ++k) offset += row[k] * strides[k];
        const std::byte *acc = is_first ? values + offset : out, *next = values + offset;
        const auto left = is_first ? count - 1 : count;
        add_rows(acc, left < count && left > 0 ? next + pitch : next, left, length, pitch / item, out);
        is_first = false;
      });
      out += length * item;
    });
    return;
  }
  // A reduction block is one contiguous run of scratch, whole rows or the piece of one. Those of one length
  // that lie together are one call.
  const auto streams = are_in_cache ? tiles::Streams::one : tiles::best_streams();
  const auto products = factors == nullptr ? nullptr : tiles::find_fold_products(fold.op, fold.loop, streams);
  const auto runs = tiles::find_fold_runs(fold.op, fold.loop, streams);
  // The run begins at `offset` among the values, and at `factor_offset` among the factors.
  const auto fold_runs = [&](std::int64_t offset, std::int64_t factor_offset, std::int64_t count,
                             std::int64_t length, std::byte* to) {
    if (products != nullptr)
      products(values + offset, factors + factor_offset, count, length, to);
    else
      runs(values + offset, count, length, to);
  };
  const auto offset_of = [&](const Shape& at, const Shape& by, bool in_blocks) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < at.size(); ++k)
      offset += at[k] * (in_blocks ? step.block_extents[k] : 1) * by[k];
    return offset;
  };
  const Shape& others = products == nullptr ? strides : *factor_strides;
  Shape block(dims);
  for (std::size_t k = 0; k < dims; ++k) block[k] = std::min(step.block_extents[k], extents[k]);
  const auto run_of = protocol::element_count(block);
  bool are_whole = is_packed && others == strides;
  for (std::size_t k = 0; k < dims; ++k) are_whole = are_whole && extents[k] == grid[k] * block[k];
  if (are_whole) {
    fold_runs(0, 0, protocol::element_count(grid), run_of, out);
  } else if (dims > 1 && run_of == block.back() && products != nullptr &&
             (strides[dims - 2] == 0) != (others[dims - 2] == 0)) {
    for_each_index(Shape(grid.begin(), grid.end() - 2), [&](const Shape& at) {
      const auto rows = grid[dims - 2];
      fold_products_of_rows(fold.op, fold.loop,
                            {values + offset_of(at, strides, false), factors + offset_of(at, others, false),
                             strides[dims - 2], others[dims - 2], rows, extents.back(), run_of, item},
                            out);
      out += rows * grid.back() * item;
    });
  } else if (dims > 0 && run_of == block.back()) {
    const auto whole = extents.back() / run_of, rest = extents.back() % run_of;
    for_each_index(Shape(grid.begin(), grid.end() - 1), [&](const Shape& at) {
      const auto row = offset_of(at, strides, false), other = offset_of(at, others, false);
      const auto behind = whole * run_of * item;
      fold_runs(row, other, whole, run_of, out);
      if (rest > 0) fold_runs(row + behind, other + behind, 1, rest, out + whole * item);
      out += grid.back() * item;
    });
  } else {
    for_each_index(grid, [&](const Shape& at) {
      std::int64_t length = 1;
      for (std::size_t k = 0; k < dims; ++k)
        length *= std::min(step.block_extents[k], extents[k] - at[k] * step.block_extents[k]);
      fold_runs(offset_of(at, strides, true), offset_of(at, others, true), 1, length, out);
      out += item;
    });
  }
  complete_blocks(step, fold, grid, partials);
}

}  // namespace gamelan::engine::steps
