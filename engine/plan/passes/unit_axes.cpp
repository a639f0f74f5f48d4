// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/unit_axes.hpp"

#include <algorithm>

#include "engine/plan/step_folds.hpp"

namespace gamelan::engine::plan {
namespace {

void erase_axis(View& view, std::size_t axis) {
  view.extents.erase(view.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(axis));
}

/// May the result be stored without its axes of extent 1? One that has no other axis keeps them.
bool may_be_stored_shorter(const Context& context, const protocol::Command& command) {
  const auto& extents = command.out.extents;
  return command.creates && !context.arrays.at(command.out.base).is_chosen &&
         std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent != 1; });
}

/// A reduction over such axes alone is a copy. (The moments of one element are not that element.)
void drop_from(Context& context, Node& node) {
  auto& command = node.command;
  auto* view = std::get_if<View>(&command.in[0]);
  if (!view || command.out.extents.size() + command.ints.size() != view->extents.size()) return;
  const bool drops_kept = may_be_stored_shorter(context, command);
  View shorter = *view, out = command.out;
  std::vector<std::int64_t> left;  // reduced axes, by their new places
  std::size_t kept = 0;            // axes of the result so far
  for (std::size_t axis = 0, place = 0; axis < view->extents.size(); ++axis) {
    const bool is_reduced = std::find(command.ints.begin(), command.ints.end(),
                                      static_cast<std::int64_t>(axis)) != command.ints.end();
    if (view->extents[axis] == 1 && (is_reduced || drops_kept)) {
      erase_axis(shorter, place);
      if (!is_reduced) erase_axis(out, kept);
      continue;
    }
    if (is_reduced)
      left.push_back(static_cast<std::int64_t>(place));
    else
      ++kept;
    ++place;
  }
  if (left.empty() && has_moments(command.op)) return;
  if (out.extents != command.out.extents) {
    command.out = protocol::whole(out.base, out.dtype, out.extents);
    context.arrays.at(out.base).extents = out.extents;
  }
  *view = std::move(shorter);
  command.ints = std::move(left);
  if (!command.ints.empty()) return;
  node.kind = Node::Kind::elementwise;
  command.op = Op::copy;
}

}  // namespace

void drop_unit_axes(Context& context) {
  for (auto& node : context.nodes)
    if (node.kind == Node::Kind::reduce) drop_from(context, node);
}

}  // namespace gamelan::engine::plan
