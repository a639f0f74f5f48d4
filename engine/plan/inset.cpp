// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/inset.hpp"

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
  if (inner.base != outer.base || inner.dtype != outer.dtype || inner.extents.size() != outer.extents.size()) return std::nullopt;
  const auto in = dist::box_of_base(inner, base.extents, base.dtype), out = dist::box_of_base(outer, base.extents, base.dtype);
  if (!in || !out || in->within != out->within) return std::nullopt;
  Shape first;
  for (std::size_t k = 0; k < inner.extents.size(); ++k) {
    const auto &i = in->map.axes[k], &o = out->map.axes[k];
    if (i.base_axis < 0 || i.base_axis != o.base_axis || i.step != o.step || o.step == 0) return std::nullopt;
    first.push_back((i.start - o.start) / o.step);
    if (first[k] < 0 || o.start + first[k] * o.step != i.start || first[k] + inner.extents[k] > outer.extents[k]) return std::nullopt;
  }
  for (std::size_t b = 0; b < base.extents.size(); ++b) {
    const auto moves = [&](const protocol::AxisMap& axis) { return axis.base_axis == static_cast<int>(b); };
    const auto& axes = in->map.axes;
    if (std::none_of(axes.begin(), axes.end(), moves) && in->map.fixed[b] != out->map.fixed[b]) return std::nullopt;
  }
  return first;
}

std::optional<Group> as_inset(const Context& context, const Group& group, const Node& node) {
  const auto& command = node.command;
  const bool is_reduce = node.kind == Node::Kind::reduce;
  if (!context.options.has("inset") || !group.is_fusable || group.inset || group.fold_axes || !command.creates) return std::nullopt;
  if (protocol::element_count(group.extents) == 0) return std::nullopt;
  for (const auto& operand : command.in) {
    const auto* view = std::get_if<View>(&operand);
    if (!view || view->extents == group.extents || (!is_reduce && view->extents != command.out.extents)) continue;
    for (const auto& write : group.writes) {
      if (write.base != view->base || write.extents != group.extents || group.made.contains(write.base)) continue;
      const auto& base = context.arrays.at(view->base);
      const auto first = origin_in(write, *view, base);
      if (!first) continue;
      Group whole = group;
      whole.extents = view->extents;
      whole.iterations = dist::layout_of_view(base.layout, dist::box_of_base(*view, base.extents, base.dtype)->map, view->extents);
      protocol::AxisWise box;
      for (std::size_t k = 0; k < first->size(); ++k) box.axes.push_back({static_cast<int>(k), (*first)[k], 1});
      box.fixed = *first;
      if (dist::layout_of_view(whole.iterations, box, group.extents) != group.iterations) continue;
      whole.inset = {group.nodes.size(), *first, group.extents, group.iterations};
      return whole;
    }
  }
  return std::nullopt;
}

}  // namespace gamelan::engine::plan
