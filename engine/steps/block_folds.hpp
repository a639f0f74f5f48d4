// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of a reduction's first half: a box of values -> one partial per reduction block. What lies
// together is folded in few calls: reduction blocks are short when many results are kept. Knows nothing of
// ranks, nor where values come from.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::steps {

/// Whole reduction blocks in memory; each is a run of the innermost reduced axes, its elements adjacent when
/// the last axis is one.
struct ReductionBlocks {
  const std::byte* values;                   ///< of the fold's loop dtype
  const protocol::Shape &strides, &extents;  ///< bytes; elements
  const protocol::Shape& grid;               ///< reduction blocks per axis; the last of an axis may be cut
};

/// One partial per reduction block, C order over the grid; where the step is complete, one per result. Local.
void fold_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                 const ReductionBlocks& blocks, std::vector<std::byte>& partials);

}  // namespace gamelan::engine::steps
