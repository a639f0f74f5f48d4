// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/moment_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "engine/steps/indices.hpp"
#include "engine/tiles/loops/moments.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;
using tiles::moment_parts;
static_assert(moment_parts == plan::moment_parts);

/// Bytes from the first element to the one at `index`, in reduction blocks.
std::int64_t offset_of(const plan::FoldBlocks& step, const Shape& index, const Shape& strides) {
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < index.size(); ++k) offset += index[k] * step.block_extents[k] * strides[k];
  return offset;
}

/// The extents of the reduction block at `index`, but for the last axes.
Shape extents_at(const plan::FoldBlocks& step, const Shape& index, const Shape& extents) {
  Shape block(index.size());
  for (std::size_t k = 0; k < index.size(); ++k)
    block[k] = std::min(step.block_extents[k], extents[k] - index[k] * step.block_extents[k]);
  return block;
}

/// The first of the last axes that are kept and together are one run of columns.
std::size_t first_of_columns(const plan::FoldBlocks& step, const ReductionBlocks& of) {
  auto first = of.extents.size() - 1;
  while (first > 0 && !step.reduced[first - 1] &&
         of.strides[first - 1] == of.strides[first] * of.extents[first])
    --first;
  return first;
}

/// The last axis is kept: columns side by side. Where it is short, those of several indices of the axes
/// before it.
void moments_of_columns(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                        const ReductionBlocks& of, double* out) {
  constexpr std::int64_t most_together = 4096;  // columns
  const auto columns = of.extents.back();
  const auto axis = static_cast<std::ptrdiff_t>(first_of_columns(step, of));
  const auto groups = protocol::element_count(Shape(of.extents.begin() + axis, of.extents.end() - 1));
  const auto together = std::min(groups, std::max<std::int64_t>(most_together / columns, 1));
  std::vector<const std::byte*> rows;
  std::vector<double> records(static_cast<std::size_t>(together > 1 ? moment_parts * together * columns : 0));
  for_each_index(Shape(of.grid.begin(), of.grid.begin() + axis), [&](const Shape& at) {
    const std::byte* first = of.values + offset_of(step, at, of.strides);
    rows.clear();
    for_each_index(extents_at(step, at, of.extents), [&](const Shape& row) {
      std::int64_t offset = 0;
      for (std::size_t k = 0; k < row.size(); ++k) offset += row[k] * of.strides[k];
      rows.push_back(first + offset);
    });
    for (std::int64_t done = 0; done < groups; done += together) {
      const auto count = std::min(together, groups - done), width = count * columns;
      double* const to = together > 1 ? records.data() : out;
      tiles::moments_of_columns(fold.loop, rows.data(), static_cast<std::int64_t>(rows.size()), width, to);
      for (auto& row : rows) row += width * of.strides.back();
      for (std::int64_t group = 0; group < count && together > 1; ++group)
        for (std::int64_t part = 0; part < moment_parts; ++part)
          std::copy_n(to + part * width + group * columns, columns,
                      out + (group * moment_parts + part) * columns);
      out += moment_parts * width;
    }
  });
}

/// The last axis is reduced: a reduction block is one contiguous run, whole rows or the piece of one.
void moments_of_runs(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                     const ReductionBlocks& of, double* out) {
  const auto run = std::min(step.block_extents.back(), of.extents.back());
  const bool are_pieces = std::all_of(step.block_extents.begin(), step.block_extents.end() - 1,
                                      [](auto extent) { return extent == 1; });
  if (are_pieces) {
    const auto whole = of.extents.back() / run, rest = of.extents.back() % run;
    for_each_index(Shape(of.grid.begin(), of.grid.end() - 1), [&](const Shape& at) {
      const std::byte* row = of.values + offset_of(step, at, of.strides);
      tiles::moments_of_runs(fold.loop, row, whole, run, out);
      if (rest > 0)
        tiles::moments_of_runs(fold.loop, row + whole * run * of.strides.back(), 1, rest,
                               out + whole * moment_parts);
      out += of.grid.back() * moment_parts;
    });
    return;
  }
  for_each_index(of.grid, [&](const Shape& at) {
    const auto length = protocol::element_count(extents_at(step, at, of.extents));
    tiles::moments_of_runs(fold.loop, of.values + offset_of(step, at, of.strides), 1, length, out);
    out += moment_parts;
  });
}

/// Merges the moments of all reduction blocks of each result, all results side by side.
void merge_blocks(const plan::FoldBlocks& step, const Shape& grid, const double* from, double* out) {
  std::int64_t blocks = 1, results = 1;
  for (std::size_t k = 0; k < grid.size(); ++k) (step.reduced[k] ? blocks : results) *= grid[k];
  std::vector<double> records(static_cast<std::size_t>(moment_parts * blocks * results));
  for_each_index(grid, [&](const Shape& at) {
    std::int64_t block = 0, result = 0;
    for (std::size_t k = 0; k < grid.size(); ++k) {
      auto& number = step.reduced[k] ? block : result;
      number = number * grid[k] + at[k];
    }
    for (std::int64_t part = 0; part < moment_parts; ++part)
      records[static_cast<std::size_t>((block * moment_parts + part) * results + result)] = *from++;
  });
  tiles::merge_moments(records.data(), blocks, results);
  for (std::int64_t result = 0; result < results; ++result)
    for (std::int64_t part = 0; part < moment_parts; ++part)
      *out++ = records[static_cast<std::size_t>(part * results + result)];
}

}  // namespace

void moments_of_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                       const ReductionBlocks& blocks, double* records) {
  if (blocks.grid.empty()) return tiles::moments_of_runs(fold.loop, blocks.values, 1, 1, records);
  if (!step.reduced.back()) return moments_of_columns(step, fold, blocks, records);
  if (!step.is_complete) return moments_of_runs(step, fold, blocks, records);
  std::vector<double> of_blocks(
      static_cast<std::size_t>(protocol::element_count(blocks.grid) * moment_parts));
  moments_of_runs(step, fold, blocks, of_blocks.data());
  merge_blocks(step, blocks.grid, of_blocks.data(), records);
}

}  // namespace gamelan::engine::steps
