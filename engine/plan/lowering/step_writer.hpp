// SPDX-License-Identifier: BSD-3-Clause
// What the lowering of a reduction or an irregular command needs of the lowering of a plan: versions of
// arrays as slots, and steps in order. lower.cpp is the only one that writes; lower_fold.cpp and
// lower_irregular.cpp say what.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

class StepWriter {
 public:
  virtual ~StepWriter() = default;
  virtual Context& context() = 0;
  /// The version of the array that a step reads now.
  virtual int current(ArrayId array) = 0;
  /// A new version, allocated by the step; current after it.
  virtual int make(Step& step, ArrayId array) = 0;
  /// Appends the step.
  virtual void finish(Step step) = 0;
};

/// A view that a step reads, of any rank's blocks.
Operand read(StepWriter& writer, const View& view);
/// A slot of `per_rank` elements on every rank, gone after its last use.
int make_scratch(StepWriter& writer, Step& step, std::int64_t per_rank, Dtype dtype);
/// A slot that lies as `layout` says, gone after its last use.
int make_aligned(StepWriter& writer, Step& step, const Layout& layout, Dtype dtype);
/// Writes the steps of `linalg`, and says how its result is laid out.
void lower_linalg(StepWriter& writer, const protocol::Command& command, Step step);
Layout layout_for_linalg(const Context& context, const protocol::Command& command);

/// Writes the steps of a group with reductions: `values` is its pass, which `step` is to run.
void lower_fold(StepWriter& writer, const Group& group, FusedLoop values, Step step);
/// The dtype in which a reduction folds.
Dtype loop_of_fold(const protocol::Command& command);
/// Writes the step of a command that reads or writes a file.
void lower_file(StepWriter& writer, const protocol::Command& command, Step step);
/// Of what write_file makes: every rank has the words about its own share.
Layout layout_of_receipts(const protocol::Command& command, int ranks);
/// Writes the steps of put, and those of sort and argsort.
void lower_put(StepWriter& writer, const protocol::Command& command, Step step);
void lower_sort(StepWriter& writer, const protocol::Command& command, Step step);
/// Writes the steps of an irregular command; `step` knows which commands it completes.
void lower_irregular(StepWriter& writer, const protocol::Command& command, Step step);
/// How the result of an irregular command is to lie.
Layout layout_for_irregular(const Context& context, const protocol::Command& command);

}  // namespace gamelan::engine::plan
