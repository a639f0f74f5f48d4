// SPDX-License-Identifier: BSD-3-Clause
// A pass may write a part of an array into a new version. This copies the other part from the version before.
// Used by run_fused_loop and run_fold.
#pragma once
#include "engine/plan/plan.hpp"
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// Copies this rank's block of the old version to the new one, except the box that the pass writes (the whole
/// block when the pass writes no plain box).
void carry(const StepContext& context, const plan::FusedLoop::Carry& carry);

}  // namespace gamelan::engine::steps
