// SPDX-License-Identifier: BSD-3-Clause
// What one rank of many asks of a plan: its part of every step, cut into the cells in which every operand has one owner.
// The arithmetic is that of the executor (engine/exec), without memory, messages or other ranks. Of irregular steps it
// is the part that layouts decide; with how many ranks the data make them deal is said by `partners`.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::tests {

struct Part {
  std::int64_t cells = 0;   ///< pieces that the rank computes, one after another
  std::int64_t remote = 0;  ///< of these, those with an operand in another rank's block
};

/// The part of `rank` in every step of the plan.
Part part_of(const engine::plan::Plan& plan, int rank);


}  // namespace gamelan::tests
