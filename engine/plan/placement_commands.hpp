// SPDX-License-Identifier: BSD-3-Clause
// Commands about where arrays lie: `redistribute`, and `routine`, whose arrays must lie as Global Arrays do.
// Called by make_plan.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// A copy into an array whose layout is there before. Throws Error{value} when it takes more ranks than there
/// are.
void add_redistribute(Context& context, const protocol::Command& command, int source);
/// The call, between copies of those arrays that do not lie as Global Arrays do; the others stay as they lie.
void add_routine(Context& context, const protocol::Command& command, int source);
/// The arrays of a routine, as it numbers them.
std::vector<View> arrays_of_routine(const protocol::Command& command);

}  // namespace gamelan::engine::plan
