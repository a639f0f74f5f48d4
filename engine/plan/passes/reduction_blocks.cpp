// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/reduction_blocks.hpp"

#include <algorithm>
#include <bit>

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t long_enough =
    256;  // elements of a reduction block that ends with its row: it fits wherever rows are cut
constexpr std::int64_t least_read_elsewhere = 4096;  // elements that a rank reads of another's block
constexpr std::int64_t partials_together = 64;  // a rank that folds them reads from as many others at most

}  // namespace

std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t dims) {
  std::vector<bool> is_reduced(dims, false);
  for (const auto axis : axes) is_reduced[static_cast<std::size_t>(axis)] = true;
  return is_reduced;
}

Shape reduction_block_extents(const Shape& extents, const std::vector<bool>& is_reduced) {
  // Enough reduction blocks for every rank, and reduction blocks large enough to be worth a loop.
  std::int64_t reduced = 1, kept = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    (is_reduced[k] ? reduced : kept) *= std::max<std::int64_t>(extents[k], 1);
  const auto blocks = std::clamp<std::int64_t>(65536 / kept, 64, 256);
  // A last axis is folded in long runs. Partials of long rows take time like elements: one for 16 rows.
  const bool is_last = !is_reduced.empty() && is_reduced.back();
  const std::int64_t shortest = is_last ? long_enough : 16;
  std::int64_t left = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reduced))) / blocks, shortest, 4096);
  Shape block(extents.size(), 1);
  std::int64_t run = 1;
  bool is_open = true;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (!is_reduced[k]) continue;
    if (!is_open) break;
    block[k] = std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(extents[k], 1));
    // The last axis of a whole array is cut between its segments: then a reduction block lies within one
    // block.
    if (k + 1 == extents.size()) block[k] = std::min(block[k], distribution::segment_length(extents));
    run *= block[k];
    is_open = block[k] == extents[k] && left > extents[k] && run < long_enough && k > 0 && is_reduced[k - 1];
    left /= block[k];
  }
  return block;
}

Shape reduction_block_of_partials(const Shape& extents, const std::vector<bool>& is_reduced) {
  std::int64_t left = partials_together;
  Shape block(extents.size(), 1);
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (!is_reduced[k]) {
      if (is_reduced.back()) break;  // beyond it a reduction block would be no contiguous run
      continue;
    }
    block[k] = std::clamp<std::int64_t>(extents[k], 1, left);
    if (block[k] != extents[k]) break;
    left /= block[k];
  }
  return block;
}

Layout layout_of_reduction_blocks(const Layout& iterations, const Shape& extents, const Shape& block) {
  // Reduction block q is template index start + step * (q * b + b - 1).
  Layout layout = iterations;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    auto& axis = layout.axes[k];
    axis.start += axis.step * (block[k] - 1);
    axis.step *= block[k];
    axis.extent = (extents[k] + block[k] - 1) / block[k];
  }
  return layout;
}

std::optional<Layout> layout_of_long_rows(const Layout& iterations, const Shape& extents,
                                          const std::vector<bool>& is_reduced, int ranks) {
  if (iterations.is_replicated || iterations.grid_size == 1 || protocol::element_count(extents) == 0)
    return std::nullopt;
  const auto blocks =
      layout_of_reduction_blocks(iterations, extents, reduction_block_extents(extents, is_reduced));
  Shape kept;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (std::min<std::int64_t>(blocks.axes[k].parts, blocks.axes[k].extent) > 1) return std::nullopt;
    if (!is_reduced[k]) kept.push_back(extents[k]);
  }
  Layout layout = distribution::default_layout(kept, ranks);
  const auto owners = static_cast<std::int64_t>(layout.grid_size) * iterations.grid_size;  // of the pieces
  if (layout.is_replicated || protocol::element_count(extents) < least_read_elsewhere * owners)
    return std::nullopt;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (is_reduced[k])
      layout.axes.insert(layout.axes.begin() + static_cast<std::ptrdiff_t>(k),
                         {.extent = extents[k], .template_extent = extents[k]});
  return layout;
}

bool reduction_blocks_fit(const Layout& iterations, const Shape& block) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    const auto& axis = iterations.axes[k];
    if (block[k] == 1 || axis.parts == 1) continue;
    if (axis.step != 1 || axis.start % block[k] != 0 || axis.unit % block[k] != 0)
      return false;  // cuts are multiples of the unit
  }
  return true;
}

}  // namespace gamelan::engine::plan
