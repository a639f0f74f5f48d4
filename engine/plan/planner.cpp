// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/planner.hpp"

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/placement_commands.hpp"

namespace gamelan::engine::plan {

Plan make_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options) {
  Planning planning{batch, {}, {}};
  Context& context = planning.context;
  context.options = options;
  context.watched = batch.watched;
  context.dead.insert(batch.frees.begin(), batch.frees.end());
  for (const auto& view : batch.fetches) context.dead.erase(view.base);  // still wanted after the last step
  context.nodes.reserve(batch.commands.size());
  const auto learn = [&](ArrayId id) {
    if (!context.arrays.contains(id))
      if (const auto* known = catalog(id)) context.arrays.emplace(id, *known);
  };
  for (std::size_t c = 0; c < batch.commands.size(); ++c) {
    const auto& command = batch.commands[c];
    auto kind = Node::Kind::elementwise;
    if (protocol::info(command.op).kind == protocol::RowKind::reduce) kind = Node::Kind::reduce;
    if (command.op == Op::matmul) kind = Node::Kind::matmul;
    if (protocol::is_irregular(command.op)) kind = Node::Kind::irregular;
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) learn(view->base);
    if (command.creates) {
      context.arrays[command.out.base] = {command.out.extents, command.out.dtype, {}};
      context.created.insert(command.out.base);
    } else {
      learn(command.out.base);
      if (command.op == Op::copy && !context.created.contains(command.out.base))
        if (const auto* from = std::get_if<View>(&command.in[0])) context.assigned.insert(from->base);
    }
    if (command.op == Op::put && std::get<View>(command.in[0]).extents[0] == 0) continue;
    const bool is_of_elements = kind == Node::Kind::elementwise || kind == Node::Kind::irregular;
    if (is_of_elements && protocol::element_count(command.out.extents) == 0) {
      kind = Node::Kind::elementwise;
      // Nothing is computed, so nothing is read: a new array is filled with a number, an existing one is not
      // changed.
      if (!command.creates) continue;
      auto making = command;
      making.op = Op::copy;
      making.loop = command.out.dtype;
      making.in = {protocol::Scalar{command.out.dtype, {}}};
      making.ints.clear();
      making.payload = -1;
      context.nodes.push_back({kind, std::move(making), static_cast<int>(c)});
      continue;
    }
    if (command.op == Op::redistribute)
      add_redistribute(context, command, static_cast<int>(c));
    else if (command.op == Op::routine)
      add_routine(context, command, static_cast<int>(c));
    else
      context.nodes.push_back({kind, command, static_cast<int>(c)});
  }
  for (const auto id : batch.frees) learn(id);
  for (const auto& view : batch.fetches) learn(view.base);
  context.fetches = batch.fetches;
  run_passes(planning);
  return std::move(planning.plan);
}

}  // namespace gamelan::engine::plan
