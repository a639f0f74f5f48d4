// SPDX-License-Identifier: BSD-3-Clause
// Groups nodes that can run in one pass over memory, and gives every new array its layout. A node joins the
// latest group that admits it, provided it does not depend on a group in between. Inside a group an element
// may depend only on elements at the same position; a read at another offset of something that the group
// writes is admitted in one case: the write goes to a fresh version of the array, so that a stencil with its
// assignment is one pass without a copy. A read of more than the group writes makes the group an interior
// (interior.hpp).
#include <algorithm>

#include "engine/plan/lowering/step_writer.hpp"
#include "engine/plan/passes/hazards.hpp"
#include "engine/plan/passes/interior.hpp"
#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/reduction_blocks.hpp"
#include "engine/plan/passes/uninterruptible.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t look_back = 16;            // groups tried before a new one is opened
constexpr std::size_t largest_group = 512;       // nodes
constexpr int longest_wait = 4;                  // temporaries
constexpr std::size_t most_operands = 48;        // arrays in memory that one pass walks over
constexpr std::size_t most_folded_together = 4;  // arrays that have nothing else in common
constexpr std::int64_t most_elements_together = std::int64_t{1} << 24;  // of each of them

class Fuser {
 public:
  explicit Fuser(Context& context) : context_(context), regions_(context) {}

  void run() {
    split_overlapping_writes();
    find_readers(context_);
    for (int n = 0; n < static_cast<int>(context_.nodes.size()); ++n)
      if (!join(n)) open_group(n);
  }

 private:
  const Node& node(int n) const { return context_.nodes[static_cast<std::size_t>(n)]; }
  const ArrayInfo& array(ArrayId id) const { return context_.arrays.at(id); }

  /// A write in place that reads its own array at another offset computes into a temporary first. Where it
  /// writes most of the array, it writes to a fresh version instead.
  void split_overlapping_writes() {
    std::vector<Node> nodes;
    for (auto& current : context_.nodes) {
      auto& command = current.command;
      if (current.kind != Node::Kind::elementwise || command.creates || current.takes_version ||
          !overlaps_itself(command) || can_take_a_version(command.out)) {
        nodes.push_back(std::move(current));
        continue;
      }
      const auto id = context_.next_temporary++;
      context_.arrays[id] = {command.out.extents, command.out.dtype, {}};
      context_.created.insert(id);
      context_.dead.insert(id);
      protocol::Command copy;
      copy.op = Op::copy;
      copy.loop = command.out.dtype;
      copy.out = command.out;
      copy.in = {protocol::whole(id, command.out.dtype, command.out.extents)};
      command.out = std::get<View>(copy.in[0]);
      command.creates = true;
      const int source = current.source;
      nodes.push_back(std::move(current));
      nodes.push_back({Node::Kind::elementwise, std::move(copy), source});
    }
    context_.nodes = std::move(nodes);
  }

  bool can_take_a_version(const View& write) const {
    return context_.options.has(Switch::version) && can_be_carried_around(write, array(write.base)) &&
           2 * protocol::element_count(write.extents) >= protocol::element_count(array(write.base).extents);
  }

  bool join(int n) {
    if (!context_.options.has(Switch::fuse)) return false;
    const auto& current = node(n);
    if (current.kind != Node::Kind::elementwise && current.kind != Node::Kind::reduce) return false;
    const auto& groups = context_.groups;
    for (std::size_t back = 0; back < std::min(look_back, groups.size()); ++back) {
      const auto index = groups.size() - 1 - back;
      if (groups[index].made.contains(current.again_after)) return false;
      if (admits(groups[index], n)) {
        if (!regions_.admits(index, current)) return false;
        if (!is_made_of_temporaries(n) && waits(groups[index], n, longest_wait)) return false;
        add(context_.groups[index], n);
        return true;
      }
      if (auto whole = as_interior(context_, groups[index], current); whole && admits(*whole, n)) {
        context_.groups[index] = std::move(*whole);
        add(context_.groups[index], n);
        return true;
      }
      if (depends_on(current.command, groups[index])) return false;
    }
    return false;
  }

  /// True for a temporary of one operand (`4 * u` in `4 * u - u_left`) whose readers cannot be in this group,
  /// because they read at other iterations what the group writes. In the readers' pass it costs what reading
  /// it would cost, and it is stored nowhere. `steps`: how many temporaries may come before such a reader.
  bool waits(const Group& group, int n, int steps) const {
    const auto& made = node(n).command.out;
    const auto readers = context_.readers.find(made.base);
    if (steps == 0 || group.interior || !is_made_of_one(n) || readers == context_.readers.end()) return false;
    return std::all_of(readers->second.begin(), readers->second.end(), [&](int reader) {
      const auto& command = node(reader).command;
      if (node(reader).kind != Node::Kind::elementwise || command.out.extents != made.extents) return false;
      const bool is_apart = std::any_of(command.in.begin(), command.in.end(), [&](const auto& operand) {
        const auto* view = std::get_if<View>(&operand);
        return view && view->base != made.base && is_misread(group, *view, context_);
      });
      return is_apart || waits(group, reader, steps - 1);
    });
  }

  /// True when a command reads what is perhaps in no memory.
  bool is_made_of_temporaries(int n) const {
    const auto& in = node(n).command.in;
    return std::any_of(in.begin(), in.end(), [&](const auto& operand) {
      const auto* view = std::get_if<View>(&operand);
      return view && may_be_in_registers(context_, view->base);
    });
  }

  /// True for a dead temporary that is computed from numbers and one operand of its own size.
  bool is_made_of_one(int n) const {
    const auto& command = node(n).command;
    if (node(n).kind != Node::Kind::elementwise || !command.creates ||
        !is_dead_temporary(context_, command.out.base))
      return false;
    int operands = 0;
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) {
        if (protocol::size_of(view->dtype) > 2 * protocol::size_of(command.out.dtype)) return false;
        for (std::size_t k = 0; k < view->extents.size(); ++k)
          if (view->extents[k] > 1 && view->strides[k] != 0) {
            ++operands;
            break;
          }
      }
    return operands == 1;
  }

  bool admits(const Group& group, int n) const {
    const auto& current = node(n);
    const auto& command = current.command;
    if (!group.is_fusable || group.nodes.size() >= largest_group) return false;
    if (command.creates && array(command.out.base).is_chosen) return false;
    if (group.loads.size() + group.stores.size() + command.in.size() + 1 > most_operands) return false;
    if (current.kind == Node::Kind::reduce) return admits_fold(group, n);
    if (group.extents != command.out.extents) return false;
    if (group.interior && !may_follow_interior(command)) return false;
    if (group.fold_axes && (!may_store(group, *group.fold_axes) || reads_result_of_fold(group, command)))
      return false;
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand); view && is_misread(group, *view, context_))
        return false;
    for (const auto& write : group.writes)
      if (is_misaligned(write, command.out)) return false;
    if (!command.creates) {
      if (needs_version(group, current) && !group.versioned.contains(command.out.base)) {
        if (!current.takes_version &&
            (!can_take_a_version(command.out) || !continues(group, command, context_)))
          return false;
        for (const auto& write : group.writes)
          if (write.base == command.out.base) return false;
      }
      if (layout_of(command.out) != group.iterations && !can_move(group, layout_of(command.out)))
        return false;
    } else if ((!is_balanced(group.iterations) || group.stores_nothing) &&
               !is_dead_temporary(context_, command.out.base)) {
      return false;
    } else if (!suits_looks(context_, command.out.base, group.iterations)) {
      return !group.interior && can_move(group, layout_for_looks(command.out.base));
    }
    return true;
  }

  /// True for commands that may follow an interior: they make new arrays only, and can read their operands in
  /// parts.
  static bool may_follow_interior(const protocol::Command& command) {
    return command.creates && command.op != Op::constant &&
           protocol::info(command.op).kind != protocol::RowKind::nullary;
  }

  /// A group that has written new arrays only may still get another layout: that of an existing array to
  /// which it writes in the end. Only the latest group may, because later groups have been laid out by its
  /// results.
  bool can_move(const Group& group, const Layout& layout) const {
    return &group == &context_.groups.back() && !group.fold_axes &&
           std::all_of(group.writes.begin(), group.writes.end(), [&](const View& write) {
             return group.made.contains(write.base) && suits_looks(context_, write.base, layout) &&
                    (distribution::is_balanced(layout) || is_dead_temporary(context_, write.base));
           });
  }

  void move(Group& group, const Layout& layout) {
    group.iterations = layout;
    for (const auto& write : group.writes) context_.arrays.at(write.base).layout = layout;
  }

  /// True when a reduction can join the group that computes or reads its operand. When reduction blocks
  /// extend over the ends of blocks, such a group may not write arrays.
  bool admits_fold(const Group& group, int n) const {
    const auto& command = node(n).command;
    const auto* operand = std::get_if<View>(&command.in[0]);
    if (!operand || group.extents != operand->extents || protocol::element_count(group.extents) == 0)
      return false;
    if (group.fold_axes && *group.fold_axes != command.ints) return false;
    if (!command.creates || reads_result_of_fold(group, command)) return false;
    const auto is_same = [&](const View& view) { return protocol::same_elements(view, *operand); };
    if (!continues(group, command, context_) &&
        std::none_of(group.reads.begin(), group.reads.end(), is_same) && !folds_beside(group, command))
      return false;
    if (is_misread(group, *operand, context_)) return false;
    return may_store(group, command.ints) ||
           std::all_of(group.writes.begin(), group.writes.end(), [&](const View& write) {
             return is_result_of_fold(group, write.base) ||
                    stays_in_registers(context_, group, write.base, n);
           });
  }

  /// True for a group that only folds arrays that were in memory before, and a reduction of another such
  /// array that lies in the same blocks. The ranks meet once for all of them. An interrupt waits for the
  /// pass, so it must be short; what leaves rows whole is better chained (chain_rows.cpp).
  bool folds_beside(const Group& group, const protocol::Command& command) const {
    const auto& operand = std::get<View>(command.in[0]);
    if (!group.fold_axes || command.ints.empty() || command.ints.front() != 0 ||
        group.loads.size() >= most_folded_together ||
        protocol::element_count(group.extents) > most_elements_together)
      return false;
    return !context_.created.contains(operand.base) &&
           layout_of_folded(operand, command.ints) == group.iterations &&
           std::all_of(group.nodes.begin(), group.nodes.end(), [&](int n) {
             return node(n).kind == Node::Kind::reduce &&
                    !context_.created.contains(std::get<View>(node(n).command.in[0]).base);
           });
  }

  bool may_store(const Group& group, const std::vector<std::int64_t>& axes) const {
    return reduction_blocks_fit(
        group.iterations, reduction_block_extents(group.extents, reduced_axes(axes, group.extents.size())));
  }

  bool is_result_of_fold(const Group& group, ArrayId array) const {
    return std::any_of(group.nodes.begin(), group.nodes.end(), [&](int n) {
      return node(n).kind == Node::Kind::reduce && node(n).command.out.base == array;
    });
  }

  bool reads_result_of_fold(const Group& group, const protocol::Command& command) const {
    return group.fold_axes &&
           std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
             const auto* view = std::get_if<View>(&operand);
             return view && is_result_of_fold(group, view->base);
           });
  }

  /// The iterations of a pass that folds an array in memory, and does nothing else.
  Layout layout_of_folded(const View& operand, const std::vector<std::int64_t>& axes) const {
    const auto layout = layout_of(operand);
    const auto is_reduced = reduced_axes(axes, operand.extents.size());
    return layout_of_long_rows(layout, operand.extents, is_reduced, context_.options.ranks).value_or(layout);
  }

  Layout layout_of(const View& view) const { return placement_of(view, array(view.base))->iterations; }

  /// A layout for a new array such that all its looks are boxes (canonical.cpp has made sure that there is
  /// one).
  Layout layout_for_looks(ArrayId id) const {
    const auto& info = array(id);
    return *distribution::layout_for_looks(info.extents, info.dtype, context_.looks.at(id),
                                           context_.options.ranks);
  }

  /// The layout for a new array of `extents`: that of the first operand that spans the iterations, else the
  /// default.
  Layout layout_for_new(const protocol::Command& command, const Shape& extents) const {
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (!view || view->extents != extents) continue;
      if (std::find(view->strides.begin(), view->strides.end(), 0) != view->strides.end()) continue;
      const auto layout = layout_of(*view);
      if (!layout.is_replicated && distribution::is_balanced(layout) &&
          suits_looks(context_, command.out.base, layout))
        return layout;
    }
    auto layout = distribution::default_layout(extents, context_.options.ranks);
    return suits_looks(context_, command.out.base, layout) ? layout : layout_for_looks(command.out.base);
  }

  void open_group(int n) {
    const auto& current = node(n);
    const auto& command = current.command;
    Group group;
    const bool is_reduce = current.kind == Node::Kind::reduce;
    group.extents = is_reduce ? std::get<View>(command.in[0]).extents : command.out.extents;
    group.is_fusable = (current.kind == Node::Kind::elementwise || is_reduce);
    if (current.kind == Node::Kind::elementwise)
      group.iterations = command.creates && !array(command.out.base).is_chosen
                             ? layout_for_new(command, group.extents)
                             : layout_of(command.out);
    else if (is_reduce) {
      const auto& operand = std::get<View>(command.in[0]);
      group.iterations = layout_of_folded(operand, command.ints);
      group.stores_nothing = group.iterations != layout_of(operand);
    }
    if (is_reduce && group.iterations.is_replicated)
      group.iterations = distribution::default_layout(group.extents, context_.options.ranks);
    if (command.creates && array(command.out.base).is_chosen) group.is_fusable = false;
    context_.groups.push_back(std::move(group));
    add(context_.groups.back(), n);
  }

  void add(Group& group, int n) {
    const auto& current = node(n);
    const auto& command = current.command;
    if (!command.creates && current.kind == Node::Kind::elementwise) {
      if (needs_version(group, current)) group.versioned.insert(command.out.base);
      if (const auto layout = layout_of(command.out); layout != group.iterations) move(group, layout);
    }
    if (command.creates && current.kind == Node::Kind::elementwise &&
        !suits_looks(context_, command.out.base, group.iterations))
      move(group, layout_for_looks(command.out.base));
    group.nodes.push_back(n);
    regions_.add(static_cast<std::size_t>(&group - context_.groups.data()), current);
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand)) group.reads.push_back(*view);
    group.writes.push_back(command.out);
    count_operands(group, command);
    if (current.kind == Node::Kind::reduce) group.fold_axes = command.ints;
    const bool is_stored_anew =  // choose_extents.cpp has chosen the layout
        current.kind == Node::Kind::gather && context_.relayouts.contains(command.out.base);
    if (command.creates) group.made.insert(command.out.base);
    if (command.creates && !is_stored_anew) {
      auto& made = context_.arrays.at(command.out.base);
      if (current.kind == Node::Kind::elementwise)
        made.layout = group.iterations;
      else if (current.kind == Node::Kind::elided_copy)
        made.layout = array(std::get<View>(command.in[0]).base).layout;
      else if (current.kind == Node::Kind::irregular)
        made.layout = layout_for_irregular(context_, command);
      else if (current.kind == Node::Kind::reduce)
        made.layout = layout_of_fold(group, current, made.extents);
      else
        made.layout = distribution::default_layout(made.extents, context_.options.ranks);
    }
  }

  void count_operands(Group& group, const protocol::Command& command) const {
    const auto add_distinct = [](std::vector<View>& views, const View& view) {
      if (std::none_of(views.begin(), views.end(), [&](const View& other) { return other == view; }))
        views.push_back(view);
    };
    for (const auto& operand : command.in)
      if (const auto* view = std::get_if<View>(&operand);
          view && !group.made.contains(view->base) && !is_one_element(*view))
        add_distinct(group.loads, *view);
    if (!is_dead_temporary(context_, command.out.base)) add_distinct(group.stores, command.out);
  }

  /// One element for all iterations is kept at hand: a pass does not walk over it.
  static bool is_one_element(const View& view) {
    return std::all_of(view.strides.begin(), view.strides.end(), [](auto stride) { return stride == 0; });
  }

  /// The layout of a reduction's result: that of its kept axes, when it is balanced.
  Layout layout_of_fold(const Group& group, const Node& current, const Shape& extents) const {
    Layout layout = distribution::default_layout(extents, context_.options.ranks);
    if (layout.is_replicated) return layout;
    Layout kept = group.iterations;
    for (auto axis = current.command.ints.rbegin(); axis != current.command.ints.rend(); ++axis) {
      const auto k = static_cast<std::size_t>(*axis);
      if (kept.axes[k].parts > 1) return layout;
      kept.axes.erase(kept.axes.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return kept.is_replicated || !distribution::is_balanced(kept) ? layout : kept;
  }

  Context& context_;
  UninterruptibleRegions regions_;
};

}  // namespace

void fuse(Context& context) { Fuser(context).run(); }

}  // namespace gamelan::engine::plan
