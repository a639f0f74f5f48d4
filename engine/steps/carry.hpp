// SPDX-License-Identifier: BSD-3-Clause
// What a pass that writes a part of an array carries over from the version before. Used by run_fused_loop and
// run_fold.
#pragma once
#include "engine/plan/plan.hpp"
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// This rank's block of the old version goes to the new one, except the box that the pass writes (all of it
/// when that is no plain box).
void carry(const StepContext& context, const plan::FusedLoop::Carry& carry);

}  // namespace gamelan::engine::steps
