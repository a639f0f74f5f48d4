// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the first half of a reduction: from a box of values to one partial result per reduction
// block. Values that lie together are folded in few calls, because reduction blocks are short when many
// results are kept. It knows neither ranks nor where values come from.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/steps/reduction_blocks.hpp"

namespace gamelan::engine::steps {

/// Writes one partial result per reduction block, in C order over the grid. Where the step is complete, these
/// are the results. Local.
void fold_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                 const ReductionBlocks& blocks, std::vector<std::byte>& partials);

}  // namespace gamelan::engine::steps
