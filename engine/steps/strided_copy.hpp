// SPDX-License-Identifier: BSD-3-Clause
// Copies of planes of elements between strided and contiguous memory, by element width. Knows nothing of
// arrays; called by view_rows.cpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::engine::steps {

/// Element (r, c) lies at strided + r * row_step + c * step, and at local + r * local_row + c * local_step
/// (bytes).
struct StridedPlane {
  std::byte* strided;
  std::int64_t row_step, step;
  std::byte* local;
  std::int64_t local_row, local_step;
};

/// Copies `rows` x `count` elements of `width` bytes, aligned to that (16 bytes: to 8), out of the strided
/// memory or into it.
void copy_from_strided(const StridedPlane& plane, std::int64_t rows, std::int64_t count, std::int64_t width);
void copy_to_strided(const StridedPlane& plane, std::int64_t rows, std::int64_t count, std::int64_t width);

}  // namespace gamelan::engine::steps
