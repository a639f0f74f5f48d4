// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/reduction_blocks.hpp"

#include <algorithm>
#include <bit>

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t long_enough =
    256;  // elements of a brick that ends with its row: it fits wherever rows are cut
constexpr std::int64_t partials_together = 64;  // a rank that folds them reads from as many others at most

}  // namespace

std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t dims) {
  std::vector<bool> is_reduced(dims, false);
  for (const auto axis : axes) is_reduced[static_cast<std::size_t>(axis)] = true;
  return is_reduced;
}

Shape brick_extents(const Shape& extents, const std::vector<bool>& is_reduced) {
  // Enough bricks for every rank, and bricks large enough to be worth a loop.
  std::int64_t reduced = 1, kept = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    (is_reduced[k] ? reduced : kept) *= std::max<std::int64_t>(extents[k], 1);
  const auto bricks = std::clamp<std::int64_t>(65536 / kept, 64, 256);
  const std::int64_t shortest = kept >= 256 ? 4 : 1;
  std::int64_t left = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reduced))) / bricks, shortest, 4096);
  Shape brick(extents.size(), 1);
  std::int64_t run = 1;
  bool is_open = true;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (!is_reduced[k]) continue;
    if (!is_open) break;
    brick[k] = std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(extents[k], 1));
    // The last axis of a whole array is cut between its segments: then a brick lies within one block.
    if (k + 1 == extents.size()) brick[k] = std::min(brick[k], dist::segment_length(extents));
    run *= brick[k];
    is_open = brick[k] == extents[k] && left > extents[k] && run < long_enough && k > 0 && is_reduced[k - 1];
    left /= brick[k];
  }
  return brick;
}

Shape brick_of_partials(const Shape& extents, const std::vector<bool>& is_reduced) {
  std::int64_t left = partials_together;
  Shape brick(extents.size(), 1);
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (!is_reduced[k]) {
      if (is_reduced.back()) break;  // beyond it a brick would be no contiguous run
      continue;
    }
    brick[k] = std::clamp<std::int64_t>(extents[k], 1, left);
    if (brick[k] != extents[k]) break;
    left /= brick[k];
  }
  return brick;
}

Layout layout_of_bricks(const Layout& iterations, const Shape& extents, const Shape& brick) {
  // Brick q is template index start + step * (q * b + b - 1).
  Layout layout = iterations;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    auto& axis = layout.axes[k];
    axis.start += axis.step * (brick[k] - 1);
    axis.step *= brick[k];
    axis.extent = (extents[k] + brick[k] - 1) / brick[k];
  }
  return layout;
}

bool bricks_fit(const Layout& iterations, const Shape& brick) {
  for (std::size_t k = 0; k < brick.size(); ++k) {
    const auto& axis = iterations.axes[k];
    if (brick[k] == 1 || axis.parts == 1) continue;
    if (axis.step != 1 || axis.start % brick[k] != 0 || axis.unit % brick[k] != 0)
      return false;  // cuts are multiples of the unit
  }
  return true;
}

}  // namespace gamelan::engine::plan
