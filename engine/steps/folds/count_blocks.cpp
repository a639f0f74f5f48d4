// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/count_blocks.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/steps/indices.hpp"

namespace gamelan::engine::steps {
namespace {

using protocol::Shape;

/// How many of the bytes are not 0. Counters of one byte lie side by side, and hold 255 each.
std::int64_t count(const std::byte* values, std::int64_t length, std::int64_t stride) {
  std::int64_t total = 0, at = 0;
  if (stride == 1) {
    constexpr std::int64_t lanes = 64, most = 255;
    while (at + lanes <= length) {
      std::uint8_t counters[lanes] = {};
      const auto turns = std::min(most, (length - at) / lanes);
      for (std::int64_t turn = 0; turn < turns; ++turn, at += lanes)
        for (std::int64_t j = 0; j < lanes; ++j)
          counters[j] = static_cast<std::uint8_t>(counters[j] + (values[at + j] != std::byte{0} ? 1 : 0));
      for (const auto counter : counters) total += counter;
    }
  }
  for (; at < length; ++at) total += values[at * stride] != std::byte{0} ? 1 : 0;
  return total;
}

}  // namespace

void count_blocks(const Shape& block_extents, const std::byte* values, const Shape& strides,
                  const Shape& extents, const Shape& grid, std::vector<std::byte>& counts) {
  const auto dims = grid.size();
  if (dims > 1 && extents.back() == 1) {  // a column is a row
    const auto inner = [](const Shape& shape) { return Shape(shape.begin(), shape.end() - 1); };
    return count_blocks(inner(block_extents), values, inner(strides), inner(extents), inner(grid), counts);
  }
  auto* out = reinterpret_cast<std::int64_t*>(counts.data());
  const bool runs_are_kept = dims > 0 && block_extents.back() == 1;  // counters side by side
  Shape cells = grid;
  if (runs_are_kept) cells.back() = 1;
  for_each_index(cells, [&](const Shape& at) {
    Shape rows(dims);
    const std::byte* start = values;
    for (std::size_t k = 0; k < dims; ++k) {
      rows[k] = std::min(block_extents[k], extents[k] - at[k] * block_extents[k]);
      start += at[k] * block_extents[k] * strides[k];
    }
    const std::int64_t length = dims == 0 ? 1 : runs_are_kept ? extents.back() : rows.back();
    const std::int64_t stride = dims == 0 ? 1 : strides.back(), kept = runs_are_kept ? length : 1;
    if (dims > 0) rows.pop_back();
    std::fill_n(out, kept, 0);
    for_each_index(rows, [&](const Shape& row) {
      const std::byte* from = start;
      for (std::size_t k = 0; k + 1 < dims; ++k) from += row[k] * strides[k];
      if (!runs_are_kept)
        *out += count(from, length, stride);
      else if (stride == 1)
        for (std::int64_t j = 0; j < length; ++j) out[j] += from[j] != std::byte{0} ? 1 : 0;
      else
        for (std::int64_t j = 0; j < length; ++j) out[j] += from[j * stride] != std::byte{0} ? 1 : 0;
    });
    out += kept;
  });
}

}  // namespace gamelan::engine::steps
