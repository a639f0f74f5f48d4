// SPDX-License-Identifier: BSD-3-Clause
// What each step reads of other ranks' blocks, as far as the plan says it without looking at data: where
// nodes share no memory, it is sent before the step (dist/exchange.hpp). What depends on data is asked for by
// the steps themselves. The last pass of the planner, when there are several nodes.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

void find_remote_reads(Plan& plan);

}  // namespace gamelan::engine::plan
