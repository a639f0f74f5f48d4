// SPDX-License-Identifier: BSD-3-Clause
// What a pass reads from memory and writes to memory, because its arrays are larger than a cache.
#pragma once
#include <vector>

#include "engine/plan/slot.hpp"
#include "engine/plan/step_fused.hpp"

namespace gamelan::engine::plan {

/// Sets `streams` of the pass's loads and stores (Instruction::streams). `slots`: of the plan.
/// - Stores of results that are too large to stay in a cache until they are read again, but for short rows of
///   a larger array: they begin and end within a cache line, whose other elements stay. Not in place: what
///   was read is in the cache.
/// - Of the loads from one large array at several places, the one that comes first to each element: the last
///   row of a stencil. Not where rows are read backwards.
void mark_streams(FusedLoop& pass, const std::vector<Slot>& slots);

}  // namespace gamelan::engine::plan
