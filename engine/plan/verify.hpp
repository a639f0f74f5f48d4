// SPDX-License-Identifier: BSD-3-Clause
// What a legal plan is. Every pass that makes or changes a plan must leave one; the runner of the passes asks
// in builds that assert costly things, and the tests of plans always do.
//
// Slots: an input is there from the start, every other slot is allocated by one step, which writes it. A slot
// is read after it was written and before it is released. What is superseded by a newer version of its array,
// or handed over, is written no more. A slot that nobody can name after the plan is released by it, once.
// Operands: every box lies inside the slot it names, and has the extents over which its step runs. What a
// fused loop writes, it writes where it runs. An interior lies inside the iterations of the loop around it.
// Programs: a register is written before it is read, and is there; so are operands.
// Reductions: blocks and partials have the extents that follow from each other.
#pragma once
#include <optional>
#include <string>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// What is wrong with the plan for so many ranks; nothing when it is legal.
std::optional<std::string> find_fault(const Plan& plan, int ranks);

}  // namespace gamelan::engine::plan
