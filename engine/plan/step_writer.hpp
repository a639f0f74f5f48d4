// SPDX-License-Identifier: BSD-3-Clause
// What the lowering of an irregular command needs of the lowering of a plan: versions of arrays as slots, and steps in
// order. lower.cpp is the only one that writes; lower_irregular.cpp says what.
#pragma once
#include "engine/plan/planner.hpp"

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

/// Writes the steps of an irregular command; `step` knows which commands it completes.
void lower_irregular(StepWriter& writer, const protocol::Command& command, Step step);

}  // namespace gamelan::engine::plan
