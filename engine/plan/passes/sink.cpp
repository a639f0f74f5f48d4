// SPDX-License-Identifier: BSD-3-Clause
// Moves temporaries behind the reductions that come between them and their first reader. In
// `np.diff(v) / np.diff(w).max()` the first difference is then computed in the pass of the quotient, and is
// never in memory. A fill (`np.zeros`), which reads nothing, waits for its first reader in any case.
#include <algorithm>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t look_ahead = 32;  // nodes

bool reads(const Node& node, ArrayId array) {
  return std::any_of(node.command.in.begin(), node.command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    return view && view->base == array;
  });
}

/// The first reader of what node `n` makes, when only reductions and new arrays come before it, and among
/// them a reduction unless the node reads nothing; 0 otherwise.
std::size_t reader_behind_reduction(const Context& context, std::size_t n) {
  const auto& made = context.nodes[n].command.out;
  const auto end = std::min(context.nodes.size(), n + 1 + look_ahead);
  bool is_worth_while = context.nodes[n].command.op == Op::copy &&
                        std::holds_alternative<protocol::Scalar>(context.nodes[n].command.in[0]);
  for (auto r = n + 1; r < end; ++r) {
    const auto& node = context.nodes[r];
    const bool is_elementwise = node.kind == Node::Kind::elementwise;
    if (reads(node, made.base))
      return is_worth_while && is_elementwise && node.command.out.extents == made.extents ? r : 0;
    if (!node.command.creates || node.takes_version || (!is_elementwise && node.kind != Node::Kind::reduce))
      return 0;
    is_worth_while = is_worth_while || node.kind == Node::Kind::reduce;
  }
  return 0;
}

}  // namespace

void sink_temporaries(Context& context) {
  auto& nodes = context.nodes;
  for (auto n = nodes.size(); n-- > 0;) {  // the last first: what it reads may follow it
    const auto& node = nodes[n];
    if (node.kind != Node::Kind::elementwise || !node.command.creates || node.takes_version ||
        node.command.op == Op::constant || !is_dead_temporary(context, node.command.out.base))
      continue;
    const auto reader = reader_behind_reduction(context, n);
    const auto at = [&](std::size_t place) { return nodes.begin() + static_cast<std::ptrdiff_t>(place); };
    if (reader > 0) std::rotate(at(n), at(n + 1), at(reader));
  }
}

}  // namespace gamelan::engine::plan
