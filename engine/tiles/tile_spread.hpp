// SPDX-License-Identifier: BSD-3-Clause
// Fills a tile with elements that are broadcast along a short inner axis (`mask[:, None]` beside points of
// four coordinates): each of them several times, one after the other. Used by the tile interpreter only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::tiles {

/// The longest inner axis for which this is worth while; longer ones are filled run by run.
inline constexpr std::int64_t most_copies = 16;

/// Writes each of `count` elements of `item_bytes`, `stride` bytes apart, `copies` times.
void spread(const std::byte* from, std::int64_t stride, std::int64_t count, std::int64_t item_bytes,
            std::int64_t copies, std::byte* to);

}  // namespace gamelan::engine::tiles
