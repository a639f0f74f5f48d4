// SPDX-License-Identifier: BSD-3-Clause
// Makes every operand a box of its base. A base's extents are only a choice of distribution (views are byte
// strides over its C-order elements), so first the extents are chosen well: `arange(n*n).reshape(n, n)` is
// stored as n x n, and an operation on flat views of n x n arrays runs over n x n. What remains (diagonals,
// reshapes across rows, `.real`) is gathered into, or scattered from, a temporary.
#include <algorithm>

#include "engine/plan/passes/merged_axes.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

bool is_whole(const View& view, const ArrayInfo& base) {
  return view.offset == 0 && view.dtype == base.dtype && protocol::is_contiguous(view) &&
         protocol::element_count(view.extents) == protocol::element_count(base.extents);
}

bool is_one_element_everywhere(const View& view) {
  for (std::size_t k = 0; k < view.extents.size(); ++k)
    if (view.extents[k] > 1 && view.strides[k] != 0) return false;
  return true;
}

/// Extents over which `view` is a box, guessed from its strides; empty when there is no guess.
Shape natural_extents(const View& view, const ArrayInfo& base) {
  if (view.dtype != base.dtype) return {};
  const auto item = static_cast<std::int64_t>(protocol::size_of(base.dtype));
  const auto count = protocol::element_count(base.extents);
  std::vector<std::int64_t> steps;
  for (std::size_t k = 0; k < view.extents.size(); ++k)
    if (view.extents[k] > 1 && view.strides[k] != 0) steps.push_back(std::abs(view.strides[k]) / item);
  std::sort(steps.rbegin(), steps.rend());
  if (steps.empty() || std::adjacent_find(steps.begin(), steps.end()) != steps.end()) return {};
  if (steps.back() != 1) steps.push_back(1);
  Shape extents;
  std::int64_t outer = count;
  for (const auto step : steps) {
    if (step == 0 || outer % step != 0) return {};
    extents.push_back(outer / step);
    outer = step;
  }
  return extents;
}

/// True when the command can run over any extents with the same C order: no operand is a proper part of its
/// base.
bool is_shapeless(const Context& context, const protocol::Command& command) {
  return std::all_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    return !view || is_one_element_everywhere(*view) || is_whole(*view, context.arrays.at(view->base));
  });
}

/// Gives new arrays the extents that suit the views which the batch takes of them.
void choose_extents(Context& context) {
  std::unordered_set<ArrayId> settled;
  const auto look = [&](const View& view) {
    if (settled.contains(view.base) || protocol::element_count(view.extents) == 0) return;
    auto& base = context.arrays.at(view.base);
    if (base.is_chosen || (!context.options.has(Switch::relayout) && !context.created.contains(view.base)))
      return;
    if (distribution::box_of_base(view, base.extents, base.dtype)) return;
    const auto extents = natural_extents(view, base);
    if (extents.size() <= base.extents.size() || !distribution::box_of_base(view, extents, base.dtype))
      return;
    if (!context.created.contains(view.base)) context.relayouts.emplace(view.base, base);
    base.extents = extents;
    settled.insert(view.base);
  };
  for (const auto& node : context.nodes) {
    if (node.command.creates &&
        (node.kind != Node::Kind::elementwise || !is_shapeless(context, node.command)))
      settled.insert(node.command.out.base);
    for (const auto& operand : node.command.in)
      if (const auto* view = std::get_if<View>(&operand)) look(*view);
    if (!node.command.creates) look(node.command.out);
  }
  for (const auto& view : context.fetches) look(view);
}

/// An existing array may now be viewed by more axes than it is stored with. It is stored anew, once, before
/// anything else.
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
      if (node.kind == Node::Kind::reduce) reduce_over_stored_extents(node);
      if (node.command.op == Op::put) read_values_first(node);
      for (auto& operand : node.command.in)
        if (auto* view = std::get_if<View>(&operand)) make_box(*view, node);
      if (node.kind == Node::Kind::matmul) make_loop_dtype(node);
      auto& out = node.command.out;
      const auto& base = context_.arrays.at(out.base);
      if (!distribution::box_of_base(out, base.extents, base.dtype) && !lies_well(out, node)) {
        node.command.op == Op::put ? put_aside(std::move(node)) : scatter(std::move(node));
      } else {
        context_.nodes.push_back(std::move(node));
      }
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
    if (!is_whole(command.out, out_base)) return;
    Shape target = out_base.extents;
    const bool is_free = command.creates && !out_base.is_chosen && target == command.out.extents;
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (!view || is_one_element_everywhere(*view)) continue;
      const auto& base = context_.arrays.at(view->base);
      if (!is_whole(*view, base)) return;  // a proper part of its base: keep the notebook's shape
      if (is_free && base.extents != command.out.extents && target == command.out.extents &&
          base.extents.size() >= command.out.extents.size())
        target = base.extents;
    }
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

  void make_box(View& view, const Node& node) {
    const auto& base = context_.arrays.at(view.base);
    if (distribution::box_of_base(view, base.extents, base.dtype) || lies_well(view, node)) return;
    gather(view, node);
  }

  /// True for views that take, put and nonzero can use although they are no box: flat forms of arrays whose
  /// layout is decided.
  bool lies_well(const View& view, const Node& node) const {
    const auto op = node.command.op;
    if (op != Op::take && op != Op::put && op != Op::nonzero) return false;
    if (context_.created.contains(view.base) || context_.relayouts.contains(view.base)) return false;
    return place_merged(view, context_.arrays.at(view.base)).has_value();
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
  /// the same elements, they are read from a copy.
  void read_values_first(Node& node) {
    auto* values = std::get_if<View>(&node.command.in[1]);
    if (values && values->extents.size() > 1 && values->base == node.command.out.base &&
        protocol::may_overlap(*values, node.command.out))
      gather(*values, node);
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
};

}  // namespace

void canonicalise(Context& context) {
  choose_extents(context);
  Canonicaliser(context).run();
}

}  // namespace gamelan::engine::plan
