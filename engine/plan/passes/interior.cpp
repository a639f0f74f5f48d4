// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/interior.hpp"

#include <algorithm>

namespace gamelan::engine::plan {

View part_of(const View& view, const Shape& first, const Shape& extents) {
  View part = view;
  for (std::size_t k = 0; k < first.size(); ++k) part.offset += first[k] * view.strides[k];
  part.extents = extents;
  return part;
}

protocol::Command part_of(protocol::Command command, const Shape& first, const Shape& extents) {
  for (auto& operand : command.in)
    if (auto* view = std::get_if<View>(&operand)) *view = part_of(*view, first, extents);
  command.out = part_of(command.out, first, extents);
  return command;
}

std::optional<Shape> origin_in(const View& inner, const View& outer, const ArrayInfo& base) {
  if (inner.base != outer.base || inner.dtype != outer.dtype || inner.extents.size() != outer.extents.size())
    return std::nullopt;
  const auto in = distribution::box_of_base(inner, base.extents, base.dtype),
             out = distribution::box_of_base(outer, base.extents, base.dtype);
  if (!in || !out || in->within != out->within) return std::nullopt;
  Shape first;
  for (std::size_t k = 0; k < inner.extents.size(); ++k) {
    const auto &i = in->map.axes[k], &o = out->map.axes[k];
    if (i.base_axis < 0 || i.base_axis != o.base_axis || i.step != o.step || o.step == 0) return std::nullopt;
    first.push_back((i.start - o.start) / o.step);
    if (first[k] < 0 || o.start + first[k] * o.step != i.start ||
        first[k] + inner.extents[k] > outer.extents[k])
      return std::nullopt;
  }
  for (std::size_t b = 0; b < base.extents.size(); ++b) {
    const auto moves = [&](const protocol::AxisMap& axis) { return axis.base_axis == static_cast<int>(b); };
    const auto& axes = in->map.axes;
    if (std::none_of(axes.begin(), axes.end(), moves) && in->map.fixed[b] != out->map.fixed[b])
      return std::nullopt;
  }
  return first;
}

namespace {

const Node& node_of(const Context& context, int n) { return context.nodes[static_cast<std::size_t>(n)]; }

/// Calls visit(reader) for the nodes outside the group that read the array and could share a pass.
template <class Visit>
bool any_reader_apart(const Context& context, const Group& group, ArrayId array, Visit visit) {
  const auto readers = context.readers.find(array);
  return readers != context.readers.end() &&
         std::any_of(readers->second.begin(), readers->second.end(), [&](int reader) {
           const auto kind = node_of(context, reader).kind;
           return (kind == Node::Kind::elementwise || kind == Node::Kind::reduce) &&
                  std::find(group.nodes.begin(), group.nodes.end(), reader) == group.nodes.end() &&
                  visit(reader);
         });
}

/// True when a temporary's result will be written into an existing array. Such a write cannot follow an
/// interior, so the temporary would have to be stored.
bool is_bound_for_a_write(const Context& context, const Group& group, const protocol::Command& command,
                          int depth) {
  if (depth == 0 || !is_dead_temporary(context, command.out.base)) return false;
  return any_reader_apart(context, group, command.out.base, [&](int reader) {
    const auto& next = node_of(context, reader);
    return next.kind == Node::Kind::elementwise &&
           (!next.command.creates || is_bound_for_a_write(context, group, next.command, depth - 1));
  });
}

/// True when an interior gains something: it is most of the pass, and it does not prevent other nodes from
/// joining (those that read what the group has computed for the box, and those that write what follows).
bool is_worth_it(const Context& context, const Group& group, const protocol::Command& command,
                 const Shape& extents) {
  constexpr int chain = 4;  // operations looked ahead
  if (2 * protocol::element_count(group.extents) < protocol::element_count(extents)) return false;
  const auto is_read_apart = [&](ArrayId array) {
    return any_reader_apart(context, group, array, [](int) { return true; });
  };
  const bool is_bound = protocol::info(command.op).kind != protocol::RowKind::reduce &&
                        is_bound_for_a_write(context, group, command, chain);
  return !is_bound && std::none_of(group.made.begin(), group.made.end(), is_read_apart);
}

}  // namespace

std::optional<Group> as_interior(const Context& context, const Group& group, const Node& node) {
  const auto& command = node.command;
  const bool is_reduce = node.kind == Node::Kind::reduce;
  if (!context.options.has(Switch::interior) || !group.is_fusable || group.interior || group.fold_axes ||
      !command.creates)
    return std::nullopt;
  if (protocol::element_count(group.extents) == 0) return std::nullopt;
  for (const auto& operand : command.in) {
    const auto* view = std::get_if<View>(&operand);
    if (!view || view->extents == group.extents || (!is_reduce && view->extents != command.out.extents))
      continue;
    for (const auto& write : group.writes) {
      if (write.base != view->base || write.extents != group.extents || group.made.contains(write.base))
        continue;
      const auto& base = context.arrays.at(view->base);
      const auto first = origin_in(write, *view, base);
      if (!first || !is_worth_it(context, group, command, view->extents)) continue;
      const auto iterations = placement_of(*view, base)->iterations;
      protocol::AxisWise box;
      for (std::size_t k = 0; k < first->size(); ++k)
        box.axes.push_back({static_cast<int>(k), (*first)[k], 1});
      if (distribution::layout_of_view(iterations, box, group.extents) != group.iterations) continue;
      Group whole = group;
      whole.extents = view->extents;
      whole.iterations = iterations;
      whole.interior = {group.nodes.size(), *first, group.iterations};
      return whole;
    }
  }
  return std::nullopt;
}

}  // namespace gamelan::engine::plan
