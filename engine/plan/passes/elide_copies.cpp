// SPDX-License-Identifier: BSD-3-Clause
// Copies that need no copying. In `old = u.copy(); u[1:-1] = ...` the write may go to a fresh version of u.
// Then the version before it is exactly `old`, so `old` takes over its storage, and the stencil with its
// assignment is the only pass.
#include <algorithm>

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/uninterruptible.hpp"

namespace gamelan::engine::plan {
namespace {

/// The view that this node copies into an array of the same layout; nullptr when the node does anything else.
const View* copied(const Context& context, const Node& node) {
  const auto& command = node.command;
  if (node.kind != Node::Kind::elementwise || command.op != Op::copy || !command.creates ||
      command.in.size() != 1)
    return nullptr;
  const auto* view = std::get_if<View>(&command.in[0]);
  if (!view || protocol::element_count(view->extents) == 0 || is_dead_temporary(context, view->base))
    return nullptr;
  const auto& from = context.arrays.at(view->base);
  const auto& to = context.arrays.at(command.out.base);
  if (to.is_chosen || context.looks.contains(command.out.base)) return nullptr;
  const bool is_same = from.dtype == to.dtype && command.loop == from.dtype && from.extents == to.extents;
  return is_same && protocol::same_elements(*view, protocol::whole(view->base, from.dtype, from.extents))
             ? view
             : nullptr;
}

/// True when an interrupt would have to wait too long for the copy. It exists only when the writer has run:
/// changes in between are ahead of it, so an interrupt waits for the writer.
bool is_missed(const Context& context, ArrayId copy, std::vector<Node>::const_iterator node,
               std::vector<Node>::const_iterator writer) {
  if (!is_seen(context, copy)) return false;
  node = std::find_if(node, writer, [&](const Node& each) {
    return !each.command.creates && is_seen(context, each.command.out.base);
  });
  double seconds = 0;
  while (node < writer && ++node < writer) seconds += seconds_of(context, *node);
  return seconds > longest_uninterruptible_s;
}

}  // namespace

void elide_copies(Context& context) {
  auto& nodes = context.nodes;
  for (auto node = nodes.begin(); node != nodes.end(); ++node) {
    const auto* view = copied(context, *node);
    if (!view) continue;
    const auto original = view->base, copy = node->command.out.base;
    const auto writes = [&](ArrayId array) {
      return [array](const Node& other) { return other.command.out.base == array; };
    };
    const auto writer = std::find_if(node + 1, nodes.end(), writes(original));
    if (writer == nodes.end() || writer->kind != Node::Kind::elementwise) continue;
    // A write to the copy would write to the version that the writer may still be reading.
    if (std::any_of(node + 1, nodes.end(), writes(copy))) continue;
    if (is_missed(context, copy, node + 1, writer)) continue;
    if (writer->takes_version || !can_be_carried_around(writer->command.out, context.arrays.at(original)))
      continue;
    node->kind = Node::Kind::elided_copy;
    writer->takes_version = true;
  }
}

}  // namespace gamelan::engine::plan
