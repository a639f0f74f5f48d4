// SPDX-License-Identifier: BSD-3-Clause
// Chooses how the arrays of a batch are stored, from the views that the batch takes of them. A new array gets
// extents over which these are boxes: `arange(n*n).reshape(n, n)` is stored as n x n. An existing array keeps
// its extents where it can. A view in another shape needs at most other cuts: blocks that end between the
// groups of rows that it keeps together. With those the array is stored anew, once, and views in the first
// shape stay boxes, too. So is an array whose rows are cut, when an operation goes along them. Called by
// canonical.cpp.
#include <algorithm>
#include <set>

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/whole_views.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t most_looks = 64;     // at one array that count
constexpr std::size_t most_sources = 8;    // of one new array
constexpr std::int64_t shortest_row = 64;  // of extents that suit a view: loops over shorter rows are slow

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

class Chooser {
 public:
  explicit Chooser(Context& context) : context_(context) {}

  void run() {
    for (const auto& node : context_.nodes) {
      const auto& command = node.command;
      const bool has_no_shape = is_shapeless(context_, command);
      if (has_no_shape && node.kind == Node::Kind::elementwise) look_as_stored(command);
      if (command.creates && !(node.kind == Node::Kind::elementwise && has_no_shape))
        settled_.insert(command.out.base);
      for (const auto& operand : command.in)
        if (const auto* view = std::get_if<View>(&operand))
          look(*view, has_no_shape && runs_as_stored(node, *view));
      if (!command.creates) look(command.out, has_no_shape && runs_as_stored(node, command.out));
      if (needs_whole_rows(node)) want_whole_rows(std::get<View>(command.in[0]));
      if (command.creates && node.kind == Node::Kind::elementwise) note_sources(command);
    }
    for (const auto& view : context_.fetches) look(view, true);
    for (const auto id : existing_) store_for_looks(id);
    for (const auto id : wanted_in_rows_) store_in_rows(id);
  }

 private:
  /// True when canonical.cpp lets the command run over the extents of the view's array.
  bool runs_as_stored(const Node& node, const View& view) const {
    const auto& command = node.command;
    if (node.kind == Node::Kind::reduce) return command.ints.size() == view.extents.size();
    const auto& base = context_.arrays.at(view.base);
    return node.kind == Node::Kind::elementwise &&
           is_whole(command.out, context_.arrays.at(command.out.base)) &&
           base.extents.size() >= command.out.extents.size() && !fits_as_seen(view, base);
  }

  /// A new array takes the extents of an operand that is stored in others than the user sees
  /// (run_over_stored_extents in canonical.cpp). This is then how the other operands are seen.
  void look_as_stored(const protocol::Command& command) {
    const auto& made = context_.arrays.at(command.out.base);
    if (!command.creates || made.is_chosen || made.extents != command.out.extents) return;
    const Shape* target =
        stored_extents(context_, command, [this](ArrayId id) -> const Shape& { return extents_of(id); });
    if (!target) return;
    const Shape& stored = extents_in_.insert_or_assign(command.out.base, *target).first->second;
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (view && !is_one_element_everywhere(*view) && !context_.created.contains(view->base) &&
          context_.arrays.at(view->base).extents != stored)
        look(protocol::whole(view->base, view->dtype, stored), false);
    }
  }

  const Shape& extents_of(ArrayId id) const {
    const auto found = extents_in_.find(id);
    return found == extents_in_.end() ? context_.arrays.at(id).extents : found->second;
  }

  /// `is_cheap`: the view needs no box.
  void look(const View& view, bool is_cheap) {
    if (protocol::element_count(view.extents) == 0) return;
    auto& base = context_.arrays.at(view.base);
    if (base.is_chosen) return;
    if (!context_.created.contains(view.base)) {
      if (is_cheap || !context_.options.has(Switch::relayout) || !is_most_of(view, base)) return;
      auto& looks = looks_[view.base];
      if (looks.empty()) existing_.push_back(view.base);
      if (looks.size() < most_looks && std::find(looks.begin(), looks.end(), view) == looks.end())
        looks.push_back(view);
      return;
    }
    if (settled_.contains(view.base) || distribution::box_of_base(view, base.extents, base.dtype)) return;
    const auto extents = natural_extents(view, base);
    if (extents.size() <= base.extents.size() || !distribution::box_of_base(view, extents, base.dtype))
      return;
    if ((base.extents.size() == 1 && extents.back() >= shortest_row) || !suits(view, base, base.extents)) {
      base.extents = extents;
      settled_.insert(view.base);
    }
  }

  /// True when the command goes along the rows of its operand as they lie in memory: it adds them up, or
  /// sorts them.
  static bool needs_whole_rows(const Node& node) {
    const auto& command = node.command;
    const auto* view = command.in.empty() ? nullptr : std::get_if<View>(&command.in[0]);
    if (!view) return false;
    const auto is_along_memory = [&](std::int64_t axis) {
      const auto k = static_cast<std::size_t>(axis);
      return std::abs(view->strides[k]) == static_cast<std::int64_t>(protocol::size_of(view->dtype)) &&
             view->extents[k] > 1;
    };
    if (node.kind == Node::Kind::reduce)
      return std::any_of(command.ints.begin(), command.ints.end(), is_along_memory);
    switch (command.op) {
      case Op::accumulate:
      case Op::sort:
      case Op::argsort:
      case Op::argmax:
      case Op::argmin:
        return is_along_memory(command.ints.front());
      default:
        return false;
    }
  }

  /// A new array of values lies as the existing arrays lie that it is computed from, element for element.
  void note_sources(const protocol::Command& command) {
    std::vector<ArrayId> sources;
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (!view || !is_whole(*view, context_.arrays.at(view->base))) continue;
      for (const auto id : sources_of(view->base))
        if (sources.size() < most_sources && std::find(sources.begin(), sources.end(), id) == sources.end())
          sources.push_back(id);
    }
    if (!sources.empty()) sources_.emplace(command.out.base, std::move(sources));
  }

  std::vector<ArrayId> sources_of(ArrayId id) const {
    if (!context_.created.contains(id)) return {id};
    const auto found = sources_.find(id);
    return found == sources_.end() ? std::vector<ArrayId>{} : found->second;
  }

  void want_whole_rows(const View& view) {
    if (!context_.options.has(Switch::relayout)) return;
    const auto count = protocol::element_count(context_.arrays.at(view.base).extents);
    if (4 * protocol::element_count(view.extents) < 3 * count) return;
    for (const auto id : sources_of(view.base))
      if (!context_.arrays.at(id).is_chosen) wanted_in_rows_.insert(id);
  }

  /// The transpose of a table lies as the table does: its rows are cut. What goes along them would bring half
  /// of them from other ranks every time, so the array is stored anew, once, in blocks of rows. Only where
  /// there are rows for all ranks: other arrays may have been cut for views that need other axes whole.
  void store_in_rows(ArrayId id) {
    auto& base = context_.arrays.at(id);
    const auto& axes = base.layout.axes;
    if (looks_.contains(id) || axes.size() != base.extents.size() || axes.size() < 2) return;
    if (axes.back().parts == 1 || axes.back().unit % distribution::segment_length(base.extents) == 0) return;
    auto rows = distribution::default_layout(base.extents, context_.options.ranks);
    if (rows.axes.front().parts != context_.options.ranks) return;
    context_.relayouts.emplace(id, base);
    base.layout = std::move(rows);
  }

  /// True when the view is a box of an array of these extents, or can be made one by other cuts. Does not
  /// depend on the number of ranks.
  static bool suits(const View& view, const ArrayInfo& base, const Shape& extents) {
    return distribution::box_of_base(view, extents, base.dtype) ||
           distribution::can_be_cut_for(extents, base.dtype, view);
  }

  /// Small parts are gathered sooner than that the whole array is stored anew.
  static bool is_most_of(const View& view, const ArrayInfo& base) {
    return 4 * protocol::element_count(view.extents) >= protocol::element_count(base.extents);
  }

  /// Gives an existing array the extents that suit most views, and cuts it for them. Whole arrays are reduced
  /// over their extents, so these must not depend on the number of ranks. The cuts may.
  void store_for_looks(ArrayId id) {
    auto& base = context_.arrays.at(id);
    const ArrayInfo old = base;
    const auto& views = looks_.at(id);
    const auto misfits = [&](const Shape& extents) {
      return std::count_if(views.begin(), views.end(),
                           [&](const View& view) { return !suits(view, base, extents); });
    };
    auto fewest = misfits(old.extents);
    for (const auto& view : views) {
      if (fewest == 0) break;
      if (suits(view, base, base.extents)) continue;
      auto extents = natural_extents(view, base);
      if (extents.empty() || !distribution::box_of_base(view, extents, base.dtype)) continue;
      if (const auto count = misfits(extents); count < fewest) {
        fewest = count;
        base.extents = std::move(extents);
      }
    }
    if (base.extents != old.extents)
      base.layout = distribution::default_layout(base.extents, context_.options.ranks);
    cut_for(views, base);
    if (base.extents != old.extents || base.layout != old.layout) context_.relayouts.emplace(id, old);
  }

  /// Gives an array blocks that suit as many views as possible, the first ones first.
  void cut_for(const std::vector<View>& views, ArrayInfo& base) const {
    std::vector<View> cut;  // so far
    for (const auto& view : views) {
      if (distribution::box_of_base(view, base.extents, base.dtype)) continue;
      cut.push_back(view);
      if (placement_of(view, base)) continue;
      auto layout = distribution::layout_for_looks(base.extents, base.dtype, cut, context_.options.ranks);
      if (layout)
        base.layout = std::move(*layout);
      else
        cut.pop_back();  // it will be gathered
    }
  }

  Context& context_;
  std::unordered_set<ArrayId> settled_;                        // arrays that keep their extents
  std::set<ArrayId> wanted_in_rows_;                           // arrays that the batch reads row by row
  std::unordered_map<ArrayId, std::vector<ArrayId>> sources_;  // of new arrays
  std::unordered_map<ArrayId, Shape> extents_in_;  // in which new arrays will be stored, where not as seen
  std::vector<ArrayId> existing_;                  // arrays that the batch looks at
  std::unordered_map<ArrayId, std::vector<View>> looks_;  // at each of them
};

}  // namespace

void choose_extents(Context& context) { Chooser(context).run(); }

}  // namespace gamelan::engine::plan
