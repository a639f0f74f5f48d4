// SPDX-License-Identifier: BSD-3-Clause
// Stacks of small matrices: what run_matmul.cpp leaves to run_matmul_stack.cpp.
#pragma once
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

/// Computes this rank's block of a product if it is a stack of small matrices; otherwise returns false. An
/// element is computed in the same way wherever the blocks end.
bool run_stack(const StepContext& context, const plan::Matmul& matmul, const distribution::Box& mine);

}  // namespace gamelan::engine::steps
