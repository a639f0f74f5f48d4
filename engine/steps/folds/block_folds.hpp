// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the first half of a reduction: from a box of values to one partial result per reduction
// block. Values that lie together are folded in few calls, because reduction blocks are short when many
// results are kept. It knows neither ranks nor where values come from.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::steps {

/// Whole reduction blocks in memory. Each is a run of the innermost reduced axes; its elements are adjacent
/// when the last axis is one of these.
struct ReductionBlocks {
  const std::byte* values;                   ///< of the fold's loop dtype, or truth values
  const protocol::Shape &strides, &extents;  ///< bytes; elements
  const protocol::Shape& grid;               ///< reduction blocks per axis; the last of an axis may be cut
  bool are_truths = false;                   ///< one byte each, to be counted (count_blocks.hpp)
  bool are_in_cache = false;                 ///< they have just been computed
  /// If given, what is folded are the products of `values` and `factors`, by find_fold_products of the fold.
  /// The last axis is reduced, and the elements of a reduction block are adjacent in both.
  const std::byte* factors = nullptr;
  const protocol::Shape* factor_strides = nullptr;
};

/// Writes one partial result per reduction block, in C order over the grid. Where the step is complete, these
/// are the results. Local.
void fold_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                 const ReductionBlocks& blocks, std::vector<std::byte>& partials);
/// Folds the partials of each result to it, all results side by side, where the step is complete: the reduced
/// axes of `grid` hold all partials. Else does nothing.
void complete_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                     const protocol::Shape& grid, std::vector<std::byte>& partials);

}  // namespace gamelan::engine::steps
