// SPDX-License-Identifier: BSD-3-Clause
// Drops dead commands: a command whose new array is neither read in this batch nor named after it, and then
// those that only it has read. Errors were raised when the command was recorded, so nothing observable is
// lost.
#include <algorithm>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {

void simplify(Context& context) {
  std::unordered_set<ArrayId> read;
  std::vector<Node> kept;
  kept.reserve(context.nodes.size());
  for (std::size_t n = context.nodes.size(); n-- > 0;) {
    auto& node = context.nodes[n];
    const auto base = node.command.out.base;
    const bool is_wanted =
        node.command.op == Op::routine || !is_dead_temporary(context, base) || read.contains(base);
    if (!is_wanted) continue;
    if (node.command.op == Op::routine) read.insert(base);
    for (const auto& operand : node.command.in)
      if (const auto* view = std::get_if<View>(&operand)) read.insert(view->base);
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  context.nodes = std::move(kept);
}

}  // namespace gamelan::engine::plan
