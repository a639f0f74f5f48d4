// SPDX-License-Identifier: BSD-3-Clause
// What one rank of many asks of a plan: its part of every step, cut into the cells in which every operand has
// one owner; and the messages that it sends to and receives from ranks of other nodes before the step. The
// arithmetic is that of the executor (engine/steps), without memory or other ranks. Of irregular steps it is
// the part that layouts decide.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::tests {

struct Part {
  std::int64_t cells = 0;   ///< pieces that the rank computes, one after another
  std::int64_t remote = 0;  ///< of these, those with an operand in another rank's block
};
/// The part of `rank` in every step of the plan.
Part part_of(const engine::plan::Plan& plan, int rank);

struct Mail {
  std::int64_t sends = 0, receives = 0;  ///< messages to and from other nodes
  std::int64_t all() const { return sends + receives; }
};
inline constexpr int ranks_per_node = 16;
/// The messages of `rank`, one of `ranks`, in every step of the plan.
Mail mail_of(const engine::plan::Plan& plan, int rank, int ranks);

}  // namespace gamelan::tests
