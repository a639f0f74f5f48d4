// SPDX-License-Identifier: BSD-3-Clause
// A piece of an operand that runs across the others, turned: read along its own memory, written along theirs.
// Used by tile_panels only.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::tiles {

/// Element (i, j) of `from`, at i * from_stride + j * item bytes, goes to j * to_stride + i * item bytes.
void transpose(std::int64_t item_bytes, const std::byte* from, std::int64_t from_stride, std::int64_t rows,
               std::int64_t columns, std::byte* to, std::int64_t to_stride);

/// True for the sizes of elements that transpose moves.
bool can_transpose(std::int64_t item_bytes);

}  // namespace gamelan::engine::tiles
