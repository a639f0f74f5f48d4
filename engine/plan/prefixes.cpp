// SPDX-License-Identifier: BSD-3-Clause
// Where a plan may be cut. Steps have an order of their own, so between two of them the arrays need not be those of any
// moment of the program. They are when what is left to do begins with a command before which everything has been done and
// after which nothing has been changed: then that many commands of the batch have happened. New arrays of later ones do
// not matter, since nobody gets to see them.
#include <algorithm>

#include "engine/plan/planner.hpp"

namespace gamelan::engine::plan {

bool is_seen(const Context& context, ArrayId array) {
  return !(array >> 63) && (!context.dead.contains(array) || context.assigned.contains(array));
}

void mark_prefixes(Plan& plan, const Context& context, const protocol::Batch& batch) {
  const auto command_of = [&](int command) -> const protocol::Command& { return batch.commands[static_cast<std::size_t>(command)]; };
  const auto is_seen = [&](int command) { return plan::is_seen(context, command_of(command).out.base); };
  std::vector<std::size_t> done_by(batch.commands.size());  // a command has happened after its last step
  std::vector<int> to_do(plan.steps.size());                // the first command that a step or a later one completes
  int first = static_cast<int>(batch.commands.size());
  for (std::size_t s = plan.steps.size(); s-- > 0;) {
    for (const int command : plan.steps[s].commands) {
      if (is_seen(command)) first = std::min(first, command);
      auto& last = done_by[static_cast<std::size_t>(command)];
      last = std::max(last, s);
    }
    to_do[s] = first;
  }
  int last_change = -1;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    auto& step = plan.steps[s];
    step.prefix = last_change < to_do[s] ? to_do[s] : -1;
    for (const int command : step.commands)
      if (done_by[static_cast<std::size_t>(command)] == s && is_seen(command) && !command_of(command).creates) last_change = std::max(last_change, command);
  }
}

}  // namespace gamelan::engine::plan
