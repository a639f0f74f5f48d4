// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/short_axes.hpp"

#include <algorithm>

#include "engine/plan/passes/assembled.hpp"
#include "engine/plan/passes/reduction_blocks.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t longest_axis = 16;      // shorter than the lanes of a fold (fold_loops.cpp)
constexpr std::int64_t fewest_results = 4096;  // a longer program for less does not pay
constexpr std::size_t most_commands = 320;

bool is_plain_number(Dtype dtype) {
  return dtype != Dtype::bool_ && dtype != Dtype::float16 && dtype != Dtype::complex64 &&
         dtype != Dtype::complex128;
}

bool is_whole(const Context& context, const View& view) {
  const auto& info = context.arrays.at(view.base);
  return view.dtype == info.dtype && view.extents == info.extents &&
         protocol::same_elements(view, protocol::whole(view.base, info.dtype, info.extents));
}

/// True for a new array that is laid out as its maker likes.
bool is_free(const Context& context, ArrayId array) {
  return context.created.contains(array) && !context.arrays.at(array).is_chosen &&
         !context.looks.contains(array) && !context.relayouts.contains(array);
}

bool is_box(const Context& context, const View& view) {
  const auto& info = context.arrays.at(view.base);
  return distribution::box_of_base(view, info.extents, info.dtype).has_value();
}

/// True when the operations of the fold are those of a tree of the elements: one reduction block, which ends
/// with its row.
bool is_tree(const protocol::Command& command, const View& of) {
  const auto op = protocol::info(command.op).of;
  if (has_moments(command.op)) return false;
  if (op != Op::add && op != Op::multiply && op != Op::maximum && op != Op::minimum) return false;
  if (command.ints != std::vector{static_cast<std::int64_t>(of.extents.size()) - 1}) return false;
  const auto block = reduction_block_extents(of.extents, reduced_axes(command.ints, of.extents.size()));
  return block.back() == of.extents.back();
}

class Finder {
 public:
  Finder(const Context& context, std::size_t root) : context_(context) { cone_.root = root; }

  std::optional<ShortAxisCone> run() {
    if (short_axis_of(context_, node(cone_.root)) == 0) return std::nullopt;
    std::size_t first = cone_.root;
    look_at(cone_.root);
    // The last first: all that may read an array has then been looked at.
    for (std::size_t n = cone_.root; n-- > 0 && !waiting_.empty();) {
      const auto array = node(n).command.out.base;
      if (waiting_.erase(array) == 0 || !may_join(n)) continue;
      cone_.made_by[array] = n;
      cone_.nodes.push_back(n);
      first = n;
      look_at(n);
    }
    std::reverse(cone_.nodes.begin(), cone_.nodes.end());
    const bool is_search = node(cone_.root).kind == Node::Kind::irregular;
    if ((cone_.nodes.empty() && !is_search) || !can_move(first)) return std::nullopt;
    cone_.commands = count_commands();
    return cone_.commands <= most_commands ? std::optional(std::move(cone_)) : std::nullopt;
  }

 private:
  const Node& node(std::size_t n) const { return context_.nodes[n]; }
  bool is_in(std::size_t n) const {
    return n == cone_.root || std::find(cone_.nodes.begin(), cone_.nodes.end(), n) != cone_.nodes.end();
  }

  void look_at(std::size_t n) {
    for (const auto& operand : node(n).command.in)
      if (const auto* view = std::get_if<View>(&operand);
          view && is_free(context_, view->base) && is_whole(context_, *view))
        waiting_.insert(view->base);
  }

  bool may_join(std::size_t n) {
    const auto& made = node(n);
    const auto array = made.command.out.base;
    const bool is_reduction = made.kind == Node::Kind::reduce && short_axis_of(context_, made) > 0;
    if (!is_reduction && !can_be_split(context_, made)) return false;
    bool is_inner = is_dead_temporary(context_, array);
    for (const int reader : context_.readers.at(array)) {
      const auto r = static_cast<std::size_t>(reader);
      is_inner = is_inner && is_in(r);
      if (r < cone_.root && !is_in(r)) return false;  // it would come before what it reads
      if (is_in(r) && !reads_whole(r, array)) return false;
    }
    if (is_inner) return true;
    // It stays in memory: one array, which a search reads.
    const bool is_operand = std::get<View>(node(cone_.root).command.in[0]).base == array;
    if (!is_operand || node(cone_.root).kind != Node::Kind::irregular) return false;
    cone_.stored = array;
    return true;
  }

  bool reads_whole(std::size_t n, ArrayId array) const {
    return std::all_of(node(n).command.in.begin(), node(n).command.in.end(), [&](const auto& operand) {
      const auto* view = std::get_if<View>(&operand);
      return !view || view->base != array || is_whole(context_, *view);
    });
  }

  /// True when all of it can be computed where the root stands: what stands in between writes nothing that
  /// it reads.
  bool can_move(std::size_t first) const {
    std::unordered_set<ArrayId> read;
    for (std::size_t n = first; n <= cone_.root; ++n) {
      if (!is_in(n)) continue;
      for (const auto& operand : node(n).command.in)
        if (const auto* view = std::get_if<View>(&operand)) read.insert(view->base);
    }
    for (std::size_t n = first; n < cone_.root; ++n)
      if (!is_in(n) && (node(n).takes_version || node(n).command.op == Op::routine ||
                        read.contains(node(n).command.out.base)))
        return false;
    return true;
  }

  /// How often each array is computed, and in how many commands.
  std::size_t count_commands() const {
    std::unordered_map<ArrayId, std::size_t> wanted;
    std::size_t commands = 0;
    const auto count = [&](std::size_t n, std::size_t times) {
      const auto length = static_cast<std::size_t>(short_axis_of(context_, node(n)));
      const bool is_search = node(n).kind == Node::Kind::irregular;
      commands += times * (length == 0 ? 1 : (is_search ? 6 : 1) * (length - 1));
      for (const auto& operand : node(n).command.in)
        if (const auto* view = std::get_if<View>(&operand); view && cone_.made_by.contains(view->base))
          wanted[view->base] = std::max(wanted[view->base], times * std::max<std::size_t>(length, 1));
    };
    count(cone_.root, 1);
    for (auto n = cone_.nodes.rbegin(); n != cone_.nodes.rend(); ++n)
      count(*n, wanted[node(*n).command.out.base]);
    return commands;
  }

  const Context& context_;
  ShortAxisCone cone_;
  std::unordered_set<ArrayId> waiting_;  // read as a whole by what is in the cone
};

}  // namespace

std::int64_t short_axis_of(const Context& context, const Node& node) {
  const auto& command = node.command;
  const bool is_search = command.op == Op::argmin || command.op == Op::argmax;
  if ((node.kind != Node::Kind::reduce && !is_search) || !command.creates) return 0;
  const auto* of = std::get_if<View>(&command.in[0]);
  if (!of || of->extents.size() < 2 || !is_free(context, command.out.base) ||
      !is_whole(context, command.out) || !is_box(context, *of))
    return 0;
  const auto length = of->extents.back();
  if (length < 2 || length > longest_axis || !is_plain_number(command.loop)) return 0;
  if (protocol::element_count(of->extents) / length < fewest_results) return 0;
  if (is_search) {
    const bool is_last = command.ints == std::vector{static_cast<std::int64_t>(of->extents.size()) - 1};
    return is_last && is_plain_number(of->dtype) ? length : 0;
  }
  return of->extents.size() == command.out.extents.size() + 1 && is_tree(command, *of) ? length : 0;
}

std::optional<ShortAxisCone> cone_of(const Context& context, std::size_t root) {
  return Finder(context, root).run();
}

}  // namespace gamelan::engine::plan
