// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/planner.hpp"

#include <algorithm>

#include "engine/plan/communication.hpp"
#include "engine/plan/placement_commands.hpp"

namespace gamelan::engine::plan {

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> names{"relayout", "simplify", "strength_reduction", "elide_copies",
                                              "fuse",     "interior", "contract",           "version"};
  return names;
}

void find_readers(Context& context) {
  context.readers.clear();
  for (std::size_t n = 0; n < context.nodes.size(); ++n)
    for (const auto& operand : context.nodes[n].command.in)
      if (const auto* view = std::get_if<View>(&operand))
        context.readers[view->base].push_back(static_cast<int>(n));
  for (std::size_t n = 0; n < context.nodes.size(); ++n)  // what these leave as it was must be in memory
    if (const auto op = context.nodes[n].command.op; op == Op::put || op == Op::routine)
      context.readers[context.nodes[n].command.out.base].push_back(static_cast<int>(n));
}

bool is_dead_temporary(const Context& context, ArrayId array) {
  return context.created.contains(array) && context.dead.contains(array);
}

bool stays_in_registers(const Context& context, const Group& group, ArrayId array, int joining) {
  if (!context.options.has("contract") || !is_dead_temporary(context, array)) return false;
  const auto& info = context.arrays.at(array);
  const auto whole = protocol::whole(array, info.dtype, info.extents);
  const auto is_wholly = [&](const std::vector<View>& views) {
    return std::all_of(views.begin(), views.end(), [&](const View& view) {
      return view.base != array || protocol::same_elements(view, whole);
    });
  };
  if (!is_wholly(group.writes) || !is_wholly(group.reads)) return false;
  const auto readers = context.readers.find(array);
  if (readers == context.readers.end()) return !context.options.keeps_unread;
  return std::all_of(readers->second.begin(), readers->second.end(), [&](int reader) {
    return reader == joining ||
           std::find(group.nodes.begin(), group.nodes.end(), reader) != group.nodes.end();
  });
}

Plan make_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options) {
  Context context;
  context.options = options;
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
      if (command.op == Op::copy)
        if (const auto* from = std::get_if<View>(&command.in[0])) context.assigned.insert(from->base);
    }
    if (command.op == Op::put && std::get<View>(command.in[0]).extents[0] == 0) continue;
    const bool is_of_elements = kind == Node::Kind::elementwise || kind == Node::Kind::irregular;
    if (is_of_elements && protocol::element_count(command.out.extents) == 0) {
      kind = Node::Kind::elementwise;
      // Nothing is computed, so nothing need be read: a new array is made from a number, an old one is left
      // alone.
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
  canonicalise(context);
  if (options.has("simplify") && !options.keeps_unread) simplify(context);
  if (options.has("strength_reduction")) reduce_strength(context);
  if (options.has("elide_copies") && options.has("version")) elide_copies(context);
  fuse(context);
  Plan plan = lower(context);
  mark_prefixes(plan, context, batch);
  if (options.standpoint) find_remote_reads(plan);
  return plan;
}

}  // namespace gamelan::engine::plan
