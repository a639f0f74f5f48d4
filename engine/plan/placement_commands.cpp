// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/placement_commands.hpp"

#include <algorithm>

#include "protocol/chosen_layout.hpp"

namespace gamelan::engine::plan {
namespace {

/// The layout that a `redistribute` asks for. Throws Error{value} when there are fewer ranks.
ArrayInfo chosen_info(const protocol::Command& command, int ranks) {
  const auto chosen = *protocol::chosen_layout(command.ints);
  const auto taken = chosen.ranks();
  if (chosen.first_rank + taken > ranks)
    throw protocol::Error(protocol::ErrorKind::value, "[plan] the distribution takes ranks " +
                                                          std::to_string(chosen.first_rank) + " to " +
                                                          std::to_string(chosen.first_rank + taken - 1) +
                                                          ", there are " + std::to_string(ranks));
  Layout layout;
  layout.first_rank = chosen.first_rank;
  layout.grid_size = static_cast<int>(taken);
  layout.is_replicated = chosen.is_replicated;
  int stride = layout.grid_size;
  for (std::size_t k = 0; k < chosen.axes.size(); ++k) {
    distribution::AxisLayout axis{.extent = chosen.extents[k], .template_extent = chosen.extents[k]};
    if (const int parts = chosen.axes[k].parts; parts > 1) {
      stride /= parts;
      axis.parts = parts;
      axis.rank_stride = stride;
      axis.cuts = chosen.axes[k].cuts;
    }
    layout.axes.push_back(std::move(axis));
  }
  return {chosen.extents, command.out.dtype, std::move(layout), true};
}

/// A new array that is freed with the batch.
View make_temporary(Context& context, ArrayInfo info) {
  const auto id = context.next_temporary++;
  const View whole = protocol::whole(id, info.dtype, info.extents);
  context.arrays[id] = std::move(info);
  context.created.insert(id);
  context.dead.insert(id);
  return whole;
}

Node copy_node(const View& from, const View& to, bool creates, int source) {
  protocol::Command command;
  command.op = Op::copy;
  command.loop = to.dtype;
  command.out = to;
  command.creates = creates;
  command.in = {from};
  return {Node::Kind::elementwise, std::move(command), source};
}

/// True when block k in C order of the grid lies with rank k, and no block is empty.
bool lies_as_ga(const ArrayInfo& info) {
  const auto& layout = info.layout;
  if (layout.axes.empty() || layout.is_replicated || !layout.pins.empty() || layout.first_rank != 0)
    return false;
  int stride = 1;
  for (std::size_t k = layout.axes.size(); k-- > 0;) {
    const auto& axis = layout.axes[k];
    if (axis.parts == 1) continue;
    if (axis.rank_stride != stride || axis.start != 0 || axis.step != 1 ||
        axis.template_extent != axis.extent)
      return false;
    for (int c = 0; c < axis.parts; ++c)
      if (axis.interval(c).size() == 0) return false;
    stride *= axis.parts;
  }
  return stride == layout.grid_size;
}

/// A layout over as many ranks as possible such that no block is empty.
ArrayInfo info_for_ga(const View& view, int ranks) {
  ArrayInfo info{view.extents, view.dtype, distribution::default_layout(view.extents, ranks), true};
  auto& layout = info.layout;
  layout.is_replicated = false;
  layout.grid_size = 1;
  for (std::size_t k = layout.axes.size(); k-- > 0;) {
    auto& axis = layout.axes[k];
    axis = {.extent = axis.extent,
            .template_extent = axis.extent,
            .parts = static_cast<int>(std::clamp<std::int64_t>(axis.extent, 1, axis.parts))};
    axis.rank_stride = layout.grid_size;
    layout.grid_size *= axis.parts;
  }
  return info;
}

}  // namespace

void add_redistribute(Context& context, const protocol::Command& command, int source) {
  auto copy = command;
  copy.op = Op::copy;
  copy.ints.clear();
  const auto& info = context.arrays[command.out.base] = chosen_info(command, context.options.ranks);
  const auto* view = std::get_if<View>(&command.in[0]);
  const bool is_flat = !view || (view->offset == 0 && protocol::is_contiguous(*view) &&
                                 protocol::element_count(view->extents) ==
                                     protocol::element_count(context.arrays.at(view->base).extents));
  if (info.extents != command.out.extents && !is_flat) {  // it is cut by other axes than those of the view
    const View flat = make_temporary(context, {command.out.extents, command.out.dtype, {}});
    context.nodes.push_back(copy_node(*view, flat, true, source));
    copy.in = {flat};
  }
  context.nodes.push_back({Node::Kind::elementwise, std::move(copy), source});
}

std::vector<View> arrays_of_routine(const protocol::Command& command) {
  std::vector<View> arrays{command.out};
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand)) arrays.push_back(*view);
  return arrays;
}

void add_routine(Context& context, const protocol::Command& command, int source) {
  auto call = command;
  std::vector<Node> back;
  const auto prepare = [&](View& view, bool is_written) {
    auto& info = context.arrays.at(view.base);
    if (!context.created.contains(view.base) && info.extents == view.extents && lies_as_ga(info)) {
      info.is_chosen = true;  // its layout stays the same within this batch
      return;
    }
    const View copy = make_temporary(context, info_for_ga(view, context.options.ranks));
    context.nodes.push_back(copy_node(view, copy, true, source));
    if (is_written) back.push_back(copy_node(copy, view, false, source));
    view = copy;
  };
  prepare(call.out, command.ints[0] > 0);
  for (auto& operand : call.in)
    if (auto* view = std::get_if<View>(&operand)) prepare(*view, false);
  context.nodes.push_back({Node::Kind::irregular, std::move(call), source});
  for (auto& node : back) context.nodes.push_back(std::move(node));
}

}  // namespace gamelan::engine::plan
