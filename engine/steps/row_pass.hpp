// SPDX-License-Identifier: BSD-3-Clause
// Passes that run over some rows at a time: the parts of a chain of rows and of a wavefront. For
// run_row_chain and run_wavefront only.
#pragma once
#include <memory>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// One pass, ready to run. It keeps references to the context and the pass.
struct RowPass {
  virtual ~RowPass() = default;
  /// Copies small operands that the rows of this rank's part share. To be called first, if at all, and not
  /// where another pass writes them later. Waits for the ranks with which they lie.
  virtual void copy_shared() {}
  /// Runs over rows of a rank's part. Of another rank's (in its blocks): loops and first halves of reductions
  /// only, without copies.
  virtual void run(const distribution::Interval& rows, int owner) = 0;
};

std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FusedLoop& fused);
std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FoldBlocks& fold);
std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FoldFinish& fold);
std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::ArgLines& lines);

}  // namespace gamelan::engine::steps
