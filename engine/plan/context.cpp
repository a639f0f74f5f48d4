// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/context.hpp"

#include <algorithm>

namespace gamelan::engine::plan {

void find_readers(Context& context) {
  context.readers.clear();
  context.changed.clear();
  for (std::size_t n = 0; n < context.nodes.size(); ++n) {
    const auto& command = context.nodes[n].command;
    if (!command.creates) context.changed.insert(command.out.base);
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand))
        context.readers[view->base].push_back(static_cast<int>(n));
  }
  for (std::size_t n = 0; n < context.nodes.size(); ++n)  // what these leave as it was must be in memory
    if (const auto op = context.nodes[n].command.op; op == Op::put || op == Op::routine)
      context.readers[context.nodes[n].command.out.base].push_back(static_cast<int>(n));
}

bool can_be_carried_around(const View& view, const ArrayInfo& base) {
  if (view.dtype != base.dtype) return false;
  if (distribution::box_of_base(view, base.extents, base.dtype)) return true;
  const auto placement = placement_of(view, base);
  return placement &&
         protocol::element_count(placement->base.extents()) == protocol::element_count(base.extents);
}

bool suits_looks(const Context& context, ArrayId array, const Layout& layout) {
  const auto found = context.looks.find(array);
  if (found == context.looks.end()) return true;
  const auto& info = context.arrays.at(array);
  return std::all_of(found->second.begin(), found->second.end(), [&](const View& view) {
    return distribution::place(layout, info.extents, info.dtype, view).has_value();
  });
}

bool is_dead_temporary(const Context& context, ArrayId array) {
  return context.created.contains(array) && context.dead.contains(array);
}

bool may_be_in_registers(const Context& context, ArrayId array) {
  return is_dead_temporary(context, array) && !context.changed.contains(array);
}

bool stays_in_registers(const Context& context, const Group& group, ArrayId array, int joining) {
  if (!context.options.has(Switch::contract) || !is_dead_temporary(context, array)) return false;
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

bool is_seen(const Context& context, ArrayId array) {
  return !(array >> 63) && (!context.dead.contains(array) || context.assigned.contains(array));
}

}  // namespace gamelan::engine::plan
