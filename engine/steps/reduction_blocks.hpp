// SPDX-License-Identifier: BSD-3-Clause
// What the first half of a reduction works on: blocks of values that lie in memory.
#pragma once
#include <cstddef>

#include "protocol/view.hpp"

namespace gamelan::engine::steps {

/// Whole reduction blocks in memory. Each is a run of the innermost reduced axes; its elements are adjacent
/// when the last axis is one of these.
struct ReductionBlocks {
  const std::byte* values;                   ///< of the fold's loop dtype, or truth values
  const protocol::Shape &strides, &extents;  ///< bytes; elements
  const protocol::Shape& grid;               ///< reduction blocks per axis; the last of an axis may be cut
  bool are_truths = false;                   ///< one byte each, to be counted (count_blocks.hpp)
};

}  // namespace gamelan::engine::steps
