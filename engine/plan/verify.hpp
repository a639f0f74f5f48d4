// SPDX-License-Identifier: BSD-3-Clause
// What a legal plan is. Every pass that makes or changes a plan must leave a legal one. The runner of the
// passes checks it in builds with costly assertions; the tests of plans always do.
//
// Slots: an input exists from the start; every other slot is allocated by one step, which writes it. A slot
// is read after it was written and before it is released. A slot is not written any more after a newer
// version of its array exists, or after it was handed over. A slot that has no name after the plan is
// released by it, once. Operands: every box lies inside its slot, and has the extents over which its step
// runs. A fused loop writes at the iterations where it runs. An interior lies inside the iterations of the
// loop around it. Programs: a register is written before it is read, and is a register of the program; the
// same holds for operands. Reductions: blocks and partials have the extents that follow from each other.
#pragma once
#include <optional>
#include <string>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// What is wrong with the plan for `ranks` ranks; nullopt when it is legal.
std::optional<std::string> find_fault(const Plan& plan, int ranks);

}  // namespace gamelan::engine::plan
