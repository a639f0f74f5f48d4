// SPDX-License-Identifier: BSD-3-Clause
// The boxes of slots that a step reads and writes, for every kind of step. Absent ones are left out.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

std::vector<const Operand*> operands_of(const Step& step);

}  // namespace gamelan::engine::plan
