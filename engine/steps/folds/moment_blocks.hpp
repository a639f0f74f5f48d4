// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the first half of squared deviations (engine/tiles/loops/moments.hpp): one record of
// moments for each reduction block. Like block_folds.hpp, it knows neither ranks nor where values come from.
#pragma once
#include "engine/steps/folds/block_folds.hpp"

namespace gamelan::engine::steps {

/// Writes the moments of each reduction block to `records`, in C order over the grid and with the parts along
/// an axis of their own (plan::moments_axis). Where the step is complete, those of all reduction blocks of a
/// result are merged, and a reduced axis has extent 1. Local.
void moments_of_blocks(const plan::FoldBlocks& step, const plan::FoldBlocks::Fold& fold,
                       const ReductionBlocks& blocks, double* records);

}  // namespace gamelan::engine::steps
