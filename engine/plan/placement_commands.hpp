// SPDX-License-Identifier: BSD-3-Clause
// Commands about where arrays lie: `redistribute`, and `routine`, whose arrays must be distributed as Global
// Arrays allow.
#pragma once
#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// Adds a copy into an array whose layout is given. Throws Error{value} when that layout needs more ranks
/// than there are.
void add_redistribute(Context& context, const protocol::Command& command, int source);
/// Adds the call of a routine. Arrays whose layout Global Arrays does not allow are copied before and after
/// it.
void add_routine(Context& context, const protocol::Command& command, int source);
/// The arrays of a routine, in the order in which it numbers them.
std::vector<View> arrays_of_routine(const protocol::Command& command);

}  // namespace gamelan::engine::plan
