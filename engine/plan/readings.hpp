// SPDX-License-Identifier: BSD-3-Clause
// What a step reads of other ranks' blocks, as far as the plan says it without looking at data: where nodes share no
// memory, it is sent before the step (dist/exchange.hpp). What depends on data is asked for by the steps themselves.
#pragma once
#include <vector>

#include "engine/dist/exchange.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

std::vector<dist::Reading> readings_of(const Plan& plan, const Step& step);

}  // namespace gamelan::engine::plan
