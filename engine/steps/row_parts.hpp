// SPDX-License-Identifier: BSD-3-Clause
// The parts of a chain of rows, each over some rows of this rank's part. For run_row_chain only.
#pragma once
#include <memory>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// One pass, ready to run. It keeps references to the context and the part.
struct RowPart {
  virtual ~RowPart() = default;
  virtual void run(const distribution::Interval& rows) = 0;
};

std::unique_ptr<RowPart> row_part(const StepContext& context, const plan::FusedLoop& fused);
std::unique_ptr<RowPart> row_part(const StepContext& context, const plan::FoldBlocks& fold);
std::unique_ptr<RowPart> row_part(const StepContext& context, const plan::FoldFinish& fold);
std::unique_ptr<RowPart> row_part(const StepContext& context, const plan::ArgLines& lines);

}  // namespace gamelan::engine::steps
