// SPDX-License-Identifier: BSD-3-Clause
// Makes every operand a box of its base, as that is stored or with the same blocks under other extents
// (engine/distribution/reshaped.hpp). A base's extents are only a choice of distribution (views are byte
// strides over its C-order elements), so first they are chosen well (choose_extents.cpp), and an operation on
// flat views of n x n arrays runs over n x n. What remains (windows that slide, a reshape of an array that is
// cut elsewhere) is gathered into, or scattered from, a temporary.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/unit_axes.hpp"
#include "engine/plan/passes/whole_views.hpp"

namespace gamelan::engine::plan {
namespace {

/// Existing arrays that choose_extents has given other extents or another layout are stored anew, once,
/// before anything else.
void relayout(Context& context, std::vector<Node>& nodes) {
  for (const auto& [id, old] : context.relayouts) {
    const auto& base = context.arrays.at(id);
    protocol::Command command;
    command.op = Op::copy;
    command.loop = base.dtype;
    command.out = protocol::whole(id, base.dtype, base.extents);
    command.creates = true;
    command.in = {command.out};
    nodes.push_back({Node::Kind::gather, std::move(command), -1});
  }
}

class Canonicaliser {
 public:
  explicit Canonicaliser(Context& context) : context_(context) {}

  void run() {
    auto nodes = std::move(context_.nodes);
    context_.nodes.clear();
    relayout(context_, context_.nodes);
    for (auto& node : nodes) {
      if (node.kind == Node::Kind::elementwise) run_over_stored_extents(node);
      if (node.kind == Node::Kind::reduce) {
        reduce_over_stored_extents(node);
        reduce_along_memory(node.command);
      }
      if (node.command.op == Op::put) read_values_first(node);
      for (auto& operand : node.command.in)
        if (auto* view = std::get_if<View>(&operand)) make_box(*view, node);
      if (node.kind == Node::Kind::matmul) make_loop_dtype(node);
      if (!is_placed(node.command.out, node)) {
        node.command.op == Op::put ? put_aside(std::move(node)) : scatter(std::move(node));
        continue;
      }
      if (node.kind == Node::Kind::elementwise && node.command.creates)
        computed_.insert(node.command.out.base);
      context_.nodes.push_back(std::move(node));
    }
  }

 private:
  View temporary(const Shape& extents, Dtype dtype) {
    const auto id = context_.next_temporary++;
    context_.arrays[id] = {extents, dtype, {}};
    context_.created.insert(id);
    context_.dead.insert(id);
    return protocol::whole(id, dtype, extents);
  }

  /// Flat views of equal arrays: lets the command run over the extents in which these are stored.
  void run_over_stored_extents(Node& node) {
    auto& command = node.command;
    const auto& out_base = context_.arrays.at(command.out.base);
    if (!is_whole(command.out, out_base) || !is_shapeless(context_, command)) return;
    Shape target = out_base.extents;
    if (command.creates && !out_base.is_chosen && target == command.out.extents)
      if (const Shape* stored = stored_extents(
              context_, command, [&](ArrayId id) -> const Shape& { return context_.arrays.at(id).extents; }))
        target = *stored;
    if (target == command.out.extents) return;
    for (auto& operand : command.in) {
      auto* view = std::get_if<View>(&operand);
      if (!view) continue;
      if (is_one_element_everywhere(*view)) {
        view->extents = target;
        view->strides.assign(target.size(), 0);
      } else {
        *view = protocol::whole(view->base, view->dtype, target);
      }
    }
    command.out = protocol::whole(command.out.base, command.out.dtype, target);
    if (command.creates) context_.arrays.at(command.out.base).extents = target;
  }

  void reduce_over_stored_extents(Node& node) {
    auto& command = node.command;
    auto* view = std::get_if<View>(&command.in[0]);
    if (!view || command.ints.size() != view->extents.size()) return;
    const auto& base = context_.arrays.at(view->base);
    if (!is_whole(*view, base) || view->extents == base.extents) return;
    *view = protocol::whole(view->base, view->dtype, base.extents);
    command.ints.clear();
    for (std::size_t k = 0; k < base.extents.size(); ++k)
      command.ints.push_back(static_cast<std::int64_t>(k));
  }

  /// `x.T.sum(1)` is `x.sum(0)`: the axes of the operand in the order of its strides, when the kept ones stay
  /// in theirs. So a reduction block is what lies together.
  static void reduce_along_memory(protocol::Command& command) {
    auto* view = std::get_if<View>(&command.in[0]);
    if (!view || command.out.extents.size() + command.ints.size() != view->extents.size()) return;
    for (std::size_t k = 0; k < view->extents.size(); ++k)
      if (view->extents[k] > 1 && view->strides[k] == 0) return;
    std::vector<std::size_t> order(view->extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_outer = [&](std::size_t left, std::size_t right) {
      return std::abs(view->strides[left]) > std::abs(view->strides[right]);
    };
    std::stable_sort(order.begin(), order.end(), is_outer);
    const auto is_reduced = [&](std::size_t axis) {
      return std::find(command.ints.begin(), command.ints.end(), static_cast<std::int64_t>(axis)) !=
             command.ints.end();
    };
    std::vector<std::size_t> kept;
    std::copy_if(order.begin(), order.end(), std::back_inserter(kept),
                 [&](std::size_t axis) { return !is_reduced(axis); });
    if (!std::is_sorted(kept.begin(), kept.end())) return;
    View turned = *view;
    std::vector<std::int64_t> axes;
    for (std::size_t k = 0; k < order.size(); ++k) {
      turned.extents[k] = view->extents[order[k]];
      turned.strides[k] = view->strides[order[k]];
      if (is_reduced(order[k])) axes.push_back(static_cast<std::int64_t>(k));
    }
    *view = std::move(turned);
    command.ints = std::move(axes);
  }

  void make_box(View& view, const Node& node) {
    if (!is_placed(view, node)) gather(view, node);
  }

  /// True when the view is a box of its base, or will be: `fuse` lays out new arrays such that it is.
  bool is_placed(const View& view, const Node& node) {
    const auto& base = context_.arrays.at(view.base);
    if (distribution::box_of_base(view, base.extents, base.dtype)) return true;
    if (node.kind != Node::Kind::elementwise && node.kind != Node::Kind::reduce &&
        protocol::size_of(view.dtype) != protocol::size_of(base.dtype))
      return false;  // these steps move whole elements
    if (base.layout.axes.size() == base.extents.size() && !base.extents.empty())
      return placement_of(view, base).has_value();
    if (!computed_.contains(view.base)) return false;
    constexpr std::size_t most_looks = 64;
    auto looks = context_.looks[view.base];
    if (std::find(looks.begin(), looks.end(), view) != looks.end()) return true;
    looks.push_back(view);
    if (looks.size() > most_looks) return false;
    if (!distribution::layout_for_looks(base.extents, base.dtype, looks, context_.options.ranks))
      return false;
    context_.looks[view.base] = std::move(looks);
    return true;
  }

  /// Replaces a view by one of a temporary that holds its elements (broadcast axes stay broadcast).
  void gather(View& view, const Node& node) {
    View compact = view;
    for (std::size_t k = 0; k < compact.extents.size(); ++k)
      if (compact.strides[k] == 0 && compact.extents[k] > 1) compact.extents[k] = 1;
    const View copy = temporary(compact.extents, compact.dtype);
    protocol::Command command;
    command.op = Op::copy;
    command.loop = view.dtype;
    command.out = copy;
    command.creates = true;
    command.in = {compact};
    context_.nodes.push_back({Node::Kind::gather, std::move(command), node.source});
    View result = copy;
    for (std::size_t k = 0; k < view.extents.size(); ++k)
      if (view.extents[k] != compact.extents[k]) result.strides[k] = 0;
    result.extents = view.extents;
    view = result;
  }

  void scatter(Node node) {
    auto& command = node.command;
    const View target = command.out;
    const View result = temporary(target.extents, target.dtype);
    command.out = result;
    command.creates = true;
    finish_scatter(std::move(node), target);
  }

  /// A put reads rows while others are written (single elements are partitioned before). Where both may be
  /// the same elements, they are read from a copy. So is, through flags, all that is of the target's array.
  void read_values_first(Node& node) {
    auto& index = std::get<View>(node.command.in[0]);
    const bool has_flags = index.dtype == Dtype::bool_;
    const auto is_of_target = [&](const View& view) {
      return view.base == node.command.out.base &&
             (has_flags || protocol::may_overlap(view, node.command.out));
    };
    if (has_flags && is_of_target(index)) gather(index, node);
    auto* values = std::get_if<View>(&node.command.in[1]);
    if (values && (has_flags || values->extents.size() > 1) && is_of_target(*values)) gather(*values, node);
  }

  /// A `put` leaves most elements unchanged. So it writes to a copy of its target, and the whole copy is
  /// written back.
  void put_aside(Node node) {
    const View target = node.command.out;
    gather(node.command.out, node);
    finish_scatter(std::move(node), target);
  }

  void finish_scatter(Node node, const View& target) {
    protocol::Command copy;
    copy.op = Op::copy;
    copy.loop = target.dtype;
    copy.out = target;
    copy.in = {node.command.out};
    const int source = node.source;
    context_.nodes.push_back(std::move(node));
    context_.nodes.push_back({Node::Kind::scatter, std::move(copy), source});
  }

  /// BLAS reads its operands where they lie. An operand of another dtype, or with a broadcast inner axis, is
  /// copied first.
  void make_loop_dtype(Node& node) {
    for (auto& operand : node.command.in) {
      auto& view = std::get<View>(operand);
      if (view.dtype == node.command.loop) continue;
      View compact = view;
      for (std::size_t k = 0; k < compact.extents.size(); ++k)
        if (compact.strides[k] == 0) compact.extents[k] = std::min<std::int64_t>(compact.extents[k], 1);
      const View copy = temporary(compact.extents, node.command.loop);
      protocol::Command command;
      command.op = Op::copy;
      command.loop = node.command.loop;
      command.out = copy;
      command.creates = true;
      if (protocol::element_count(compact.extents) > 0)
        command.in = {compact};
      else
        command.in = {protocol::Scalar{node.command.loop,
                                       {}}};  // it reads nothing; make_plan does the same with empty commands
      context_.nodes.push_back({Node::Kind::elementwise, std::move(command), node.source});
      View result = copy;
      for (std::size_t k = 0; k < view.extents.size(); ++k)
        if (view.extents[k] != compact.extents[k]) result.strides[k] = 0;
      result.extents = view.extents;
      view = result;
    }
  }

  Context& context_;
  std::unordered_set<ArrayId> computed_;  // new arrays that `fuse` may lay out as it likes
};

}  // namespace

void canonicalise(Context& context) {
  drop_unit_axes(context);
  choose_extents(context);
  Canonicaliser(context).run();
}

}  // namespace gamelan::engine::plan
