// SPDX-License-Identifier: BSD-3-Clause
// Chooses how the arrays of a batch are stored, from the views that the batch takes of them. A new array gets
// extents over which these are boxes: `arange(n*n).reshape(n, n)` is stored as n x n. An existing array keeps
// its extents where it can. A view in another shape needs at most other cuts: blocks that end between the
// groups of rows that it keeps together. With those the array is stored anew, once, and views in the first
// shape stay boxes, too. Called by canonical.cpp.
#include <algorithm>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t shortest_row = 64;  // of extents that suit a view: loops over shorter rows are slow

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

class Chooser {
 public:
  explicit Chooser(Context& context) : context_(context) {}

  void run() {
    for (const auto& node : context_.nodes) {
      const auto& command = node.command;
      const bool has_no_shape = is_shapeless(context_, command);
      if (command.creates && !(node.kind == Node::Kind::elementwise && has_no_shape))
        settled_.insert(command.out.base);
      for (const auto& operand : command.in)
        if (const auto* view = std::get_if<View>(&operand))
          look(*view, has_no_shape && runs_as_stored(node, *view));
      if (!command.creates) look(command.out, has_no_shape && runs_as_stored(node, command.out));
    }
    for (const auto& view : context_.fetches) look(view, true);
  }

 private:
  /// True when canonical.cpp lets the command run over the extents of the view's array.
  bool runs_as_stored(const Node& node, const View& view) const {
    const auto& command = node.command;
    if (node.kind == Node::Kind::reduce) return command.ints.size() == view.extents.size();
    return node.kind == Node::Kind::elementwise &&
           is_whole(command.out, context_.arrays.at(command.out.base)) &&
           context_.arrays.at(view.base).extents.size() >= command.out.extents.size();
  }

  /// `is_cheap`: the view needs no box.
  void look(const View& view, bool is_cheap) {
    if (protocol::element_count(view.extents) == 0) return;
    auto& base = context_.arrays.at(view.base);
    const bool is_new = context_.created.contains(view.base);
    if (base.is_chosen || (!is_new && !context_.options.has(Switch::relayout))) return;
    if (distribution::box_of_base(view, base.extents, base.dtype)) return;
    if (!settled_.contains(view.base) && wants_extents_of(view, base, is_new)) {
      if (!is_new) context_.relayouts.emplace(view.base, base);
      base.extents = natural_extents(view, base);
      if (!is_new) base.layout = distribution::default_layout(base.extents, context_.options.ranks);
      settled_.insert(view.base);
      return;
    }
    if (is_new || is_cheap) return;
    looks_[view.base].push_back(view);
    if (!placement_of(view, base)) cut_for_looks(view.base, base);
  }

  /// True when the array should have the extents of the view, which has more axes. Where its own can be cut
  /// for the view, it keeps them. Does not depend on the number of ranks, because whole arrays are reduced
  /// over their extents.
  bool wants_extents_of(const View& view, const ArrayInfo& base, bool is_new) const {
    const auto extents = natural_extents(view, base);
    if (extents.size() <= base.extents.size() || !distribution::box_of_base(view, extents, base.dtype))
      return false;
    if (is_new && base.extents.size() == 1 && extents.back() >= shortest_row) return true;
    return !distribution::can_be_cut_for(base.extents, base.dtype, view) && is_most_of(view, base);
  }

  static bool is_most_of(const View& view, const ArrayInfo& base) {
    return 4 * protocol::element_count(view.extents) >= protocol::element_count(base.extents);
  }

  /// Gives an existing array blocks that suit all views so far.
  void cut_for_looks(ArrayId id, ArrayInfo& base) {
    auto& looks = looks_.at(id);
    auto layout =
        is_most_of(looks.back(), base)
            ? distribution::layout_for_looks(base.extents, base.dtype, looks, context_.options.ranks)
            : std::nullopt;
    if (!layout) {  // it will be gathered
      looks.pop_back();
      return;
    }
    context_.relayouts.emplace(id, base);
    base.layout = std::move(*layout);
  }

  Context& context_;
  std::unordered_set<ArrayId> settled_;                   // arrays that keep their extents
  std::unordered_map<ArrayId, std::vector<View>> looks_;  // of existing arrays, in other shapes
};

}  // namespace

void choose_extents(Context& context) { Chooser(context).run(); }

}  // namespace gamelan::engine::plan
