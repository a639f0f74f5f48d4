// SPDX-License-Identifier: BSD-3-Clause
// Sums of truth values (`(x > 0).sum()`, count_nonzero): each is a byte, and is counted as it lies instead of
// being cast to eight bytes first. Called by block_folds for such values.
#pragma once
#include <cstddef>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::engine::steps {

/// The count of each reduction block, as int64, in C order over the grid of blocks. `values` lie in a box of
/// `extents`, `strides` bytes apart.
void count_blocks(const protocol::Shape& block_extents, const std::byte* values,
                  const protocol::Shape& strides, const protocol::Shape& extents, const protocol::Shape& grid,
                  std::vector<std::byte>& counts);

}  // namespace gamelan::engine::steps
