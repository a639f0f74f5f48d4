// SPDX-License-Identifier: BSD-3-Clause
// Where a plan may be cut. Steps are not in the order of the commands, so between two of them the arrays need
// not be those of any moment of the program. They are, when there is a call (calls.hpp) such that everything
// before it is done, and nothing from it on has changed an array that existed before it. Then exactly the
// commands before that call have happened. New arrays of later commands do not matter, because nobody can see
// them.
#include <algorithm>
#include <queue>

#include "engine/plan/calls.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {

namespace {

/// The last change so far of an array that there was at a moment of the program; moments come in order.
class Changes {
 public:
  void add(int command, int birth) { of_new_arrays_.emplace(-birth, command); }
  int last_before(int moment) {
    for (; !of_new_arrays_.empty() && -of_new_arrays_.top().first < moment; of_new_arrays_.pop())
      last_ = std::max(last_, of_new_arrays_.top().second);
    return last_;
  }

 private:
  std::priority_queue<std::pair<int, int>> of_new_arrays_;  // oldest array first
  int last_ = -1;
};

}  // namespace

void mark_prefixes(Plan& plan, const Context& context, const protocol::Batch& batch) {
  const auto command_of = [&](int command) -> const protocol::Command& {
    return batch.commands[static_cast<std::size_t>(command)];
  };
  const auto is_seen = [&](int command) { return plan::is_seen(context, command_of(command).out.base); };
  std::unordered_map<ArrayId, int> births;  // of arrays that the batch creates
  for (std::size_t c = 0; c < batch.commands.size(); ++c)
    if (batch.commands[c].creates) births[batch.commands[c].out.base] = static_cast<int>(c);
  std::vector<std::size_t> done_by(batch.commands.size());  // a command has happened after its last step
  std::vector<int> to_do(plan.steps.size());  // the first command that a step or a later one completes
  int first = static_cast<int>(batch.commands.size());
  for (std::size_t s = plan.steps.size(); s-- > 0;) {
    for (const int command : plan.steps[s].commands) {
      if (is_seen(command)) first = std::min(first, command);
      auto& last = done_by[static_cast<std::size_t>(command)];
      last = std::max(last, s);
    }
    to_do[s] = static_cast<int>(first_of_call(batch, static_cast<std::size_t>(first)));
  }
  Changes changes;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    auto& step = plan.steps[s];
    step.prefix = changes.last_before(to_do[s]) < to_do[s] ? to_do[s] : -1;
    if (is_at_borders(step)) step.prefix = -1;
    for (const int command : step.commands) {
      if (done_by[static_cast<std::size_t>(command)] != s || !is_seen(command) || command_of(command).creates)
        continue;
      const auto birth = births.find(command_of(command).out.base);
      changes.add(command, birth == births.end() ? -1 : birth->second);
    }
  }
}

}  // namespace gamelan::engine::plan
