// SPDX-License-Identifier: BSD-3-Clause
// What the lowering of reductions and irregular commands needs from the lowering of a plan: versions of
// arrays as slots, and steps in order. Only lower.cpp implements it; lower_fold.cpp, lower_irregular.cpp and
// the like call it.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

class StepWriter {
 public:
  virtual ~StepWriter() = default;
  virtual Context& context() = 0;
  /// The slot of the array's current version, which a step reads.
  virtual int current(ArrayId array) = 0;
  /// Makes a new version of the array, which the step allocates; it is the current one from then on. Returns
  /// its slot.
  virtual int make(Step& step, ArrayId array) = 0;
  /// Appends the step.
  virtual void finish(Step step) = 0;
};

/// A view that a step reads, of any rank's blocks.
Operand read(StepWriter& writer, const View& view);
/// A new slot with `per_rank` elements on every rank, released after its last use.
int make_scratch(StepWriter& writer, Step& step, std::int64_t per_rank, Dtype dtype);
/// A new slot with the given layout, released after its last use.
int make_aligned(StepWriter& writer, Step& step, const Layout& layout, Dtype dtype);
/// Writes the steps of `linalg` (below: the layout of its result).
void lower_linalg(StepWriter& writer, const protocol::Command& command, Step step);
Layout layout_for_linalg(const Context& context, const protocol::Command& command);

/// Writes the steps of a group with reductions. `values` is the pass of the group, which `step` runs.
void lower_fold(StepWriter& writer, const Group& group, FusedLoop values, Step step);
/// The dtype in which a reduction folds.
Dtype loop_of_fold(const protocol::Command& command);
/// Writes the steps of nonzero: where a row of flags is true, or the rows of an array there.
void lower_nonzero(StepWriter& writer, const protocol::Command& command, Step step);
/// Whether a put through flags needs no positions, and its steps then.
bool is_put_at_flags(const Options& options, const protocol::Command& command);
void lower_put_at_flags(StepWriter& writer, const protocol::Command& command, Step step);
/// Writes the steps that find the positions of the `count` flags that are true; a new row.
View positions_of_flags(StepWriter& writer, const View& flags, std::int64_t count);
/// Writes the step of a command that reads or writes a file.
void lower_file(StepWriter& writer, const protocol::Command& command, Step step);
/// The layout of the result of write_file: every rank has the elements about its own share.
Layout layout_of_receipts(const protocol::Command& command, int ranks);
/// Writes the steps of put, and those of sort and argsort.
void lower_put(StepWriter& writer, const protocol::Command& command, Step step);
void lower_sort(StepWriter& writer, const protocol::Command& command, Step step);
/// Writes the steps of an irregular command; `step` has the list of the commands that it completes.
void lower_irregular(StepWriter& writer, const protocol::Command& command, Step step);
/// The layout for the result of an irregular command.
Layout layout_for_irregular(const Context& context, const protocol::Command& command);

}  // namespace gamelan::engine::plan
