// SPDX-License-Identifier: BSD-3-Clause
// Computes cheap temporaries twice where they would else be stored between two passes over memory. In
//
//     ap = 4.0 * p[1:-1, 1:-1] - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
//     alpha = rr / (p[1:-1, 1:-1] * ap).sum()
//     r = r - alpha * ap
//
// no pass can hold both uses of `ap`: the second needs a sum over the first. To read `p` again costs what
// reading `ap` would cost, and then `ap` is stored nowhere. (Sums over rows need none of this:
// chain_rows.cpp.)
#include <algorithm>
#include <unordered_map>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t look_ahead = 64;         // nodes
constexpr std::size_t most_nodes = 8;          // of an expression
constexpr std::int64_t least_bytes = 4 << 20;  // of a rank's part: less stays in a cache
constexpr Op cheap[] = {Op::add, Op::subtract, Op::multiply, Op::negative, Op::square, Op::copy};

bool is_all_of_it(const View& view, const Shape& extents, Dtype dtype) {
  return view == protocol::whole(view.base, dtype, extents);
}

class Recomputer {
 public:
  explicit Recomputer(Context& context) : context_(context) {
    find_readers(context_);
    for (std::size_t n = 0; n < context_.nodes.size(); ++n)
      if (command(n).creates) makers_[command(n).out.base] = n;
  }

  void run() {
    // The last first: what is inserted comes behind it, and places before it stay.
    for (auto n = context_.nodes.size(); n-- > 0;)
      if (is_candidate(n)) compute_twice(n);
  }

 private:
  /// A node, and an array that it needs besides, which comes from a reduction.
  struct Reader {
    std::size_t node;
    ArrayId needs;
  };
  using Readers = std::vector<Reader>;

  const protocol::Command& command(std::size_t n) const { return context_.nodes[n].command; }

  /// True for a node that computes a new array, never written again, from arrays and numbers, by one cheap
  /// instruction for each element.
  bool is_simple(std::size_t n) const {
    const auto& node = context_.nodes[n];
    const auto& out = node.command.out;
    for (const auto& operand : node.command.in)
      if (!std::holds_alternative<View>(operand) && !std::holds_alternative<protocol::Scalar>(operand))
        return false;
    return node.kind == Node::Kind::elementwise && node.command.creates && !node.takes_version &&
           std::find(std::begin(cheap), std::end(cheap), node.command.op) != std::end(cheap) &&
           is_dead_temporary(context_, out.base) && !context_.looks.contains(out.base) &&
           !context_.changed.contains(out.base);
  }

  bool is_candidate(std::size_t n) const {
    const auto& out = command(n).out;
    const auto bytes =
        protocol::element_count(out.extents) * static_cast<std::int64_t>(protocol::size_of(out.dtype));
    return bytes / context_.options.ranks >= least_bytes && is_simple(n);
  }

  /// Readers of what node `n` makes that need a reduction over another of its readers, in order; empty when
  /// there are none, or one of them cannot take it from a register.
  Readers late_readers(std::size_t n) const {
    const auto& made = command(n).out;
    std::unordered_set<ArrayId> touched{made.base}, late;
    Readers found;
    for (auto r = n + 1; r < std::min(context_.nodes.size(), n + 1 + look_ahead); ++r) {
      const auto& node = context_.nodes[r];
      bool reads_it = false, is_touched = false, is_apt = node.kind == Node::Kind::elementwise;
      ArrayId needs = 0;
      for (const auto& operand : node.command.in)
        if (const auto* view = std::get_if<View>(&operand)) {
          is_touched |= touched.contains(view->base);
          if (late.contains(view->base) && !context_.changed.contains(view->base)) needs = view->base;
          if (view->base != made.base) continue;
          reads_it = true;
          is_apt &= is_all_of_it(*view, made.extents, made.dtype);
        }
      if (reads_it && needs != 0) {
        if (!is_apt || node.command.out.extents != made.extents) return {};
        found.push_back({r, needs});
      } else if (reads_it && node.kind != Node::Kind::elementwise && node.kind != Node::Kind::reduce) {
        return {};  // it has to be stored
      }
      const auto& axes = node.command.ints;
      const bool is_barrier =
          node.kind == Node::Kind::reduce && std::find(axes.begin(), axes.end(), 0) != axes.end();
      if (needs != 0 || (is_touched && is_barrier)) late.insert(node.command.out.base);
      if (is_touched) touched.insert(node.command.out.base);
    }
    return found;
  }

  /// The nodes that compute what `n` makes from what is in memory, in order; empty when they are too many, or
  /// read more than one large array.
  std::vector<std::size_t> expression(std::size_t n) const {
    std::vector<std::size_t> nodes{n};
    std::unordered_set<ArrayId> large;
    const auto elements = protocol::element_count(command(n).out.extents);
    for (std::size_t at = 0; at < nodes.size(); ++at)
      for (const auto& operand : command(nodes[at]).in) {
        const auto* view = std::get_if<View>(&operand);
        if (!view) continue;
        const auto maker = makers_.find(view->base);
        if (maker != makers_.end() && is_simple(maker->second) &&
            is_all_of_it(*view, command(n).out.extents, command(maker->second).out.dtype)) {
          if (std::find(nodes.begin(), nodes.end(), maker->second) == nodes.end())
            nodes.push_back(maker->second);
        } else if (2 * protocol::element_count(context_.arrays.at(view->base).extents) > elements) {
          if (!is_nearly_all(*view, elements, command(n).out.dtype)) return {};
          large.insert(view->base);
        }
      }
    if (nodes.size() > most_nodes || large.size() != 1) return {};
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  /// True for a box that leaves little of its array out, in the array's own order: its elements lie where
  /// those of the result lie, but for some at the rims. The array is in memory in any case: the program keeps
  /// it, or changes it in place.
  bool is_nearly_all(const View& view, std::int64_t elements, Dtype dtype) const {
    const auto& base = context_.arrays.at(view.base);
    return view.dtype == dtype &&
           view.strides == protocol::whole(view.base, base.dtype, base.extents).strides &&
           5 * protocol::element_count(base.extents) <= 6 * elements &&
           !may_be_in_registers(context_, view.base);
  }

  /// True when what the nodes read is at `reader` what it was.
  bool is_unchanged(const std::vector<std::size_t>& nodes, std::size_t reader) const {
    for (auto n = nodes.front(); n < reader; ++n) {
      if (command(n).creates) continue;
      for (const auto each : nodes)
        for (const auto& operand : command(each).in)
          if (const auto* view = std::get_if<View>(&operand); view && view->base == command(n).out.base)
            return false;
    }
    return true;
  }

  void compute_twice(std::size_t n) {
    const auto readers = late_readers(n);
    if (readers.empty()) return;
    const auto nodes = expression(n);
    if (nodes.empty() || !is_unchanged(nodes, readers.front().node)) return;
    std::unordered_map<ArrayId, ArrayId> names;
    const auto rename = [&](protocol::Command& command) {
      for (auto& operand : command.in)
        if (auto* view = std::get_if<View>(&operand))
          if (const auto found = names.find(view->base); found != names.end()) view->base = found->second;
    };
    std::vector<Node> again;
    for (const auto each : nodes) {
      Node node = context_.nodes[each];
      node.again_after = readers.front().needs;  // its errors are those of the first time: one source
      rename(node.command);
      const auto id = context_.next_temporary++;
      names[node.command.out.base] = id;
      context_.arrays[id] = context_.arrays.at(node.command.out.base);
      context_.created.insert(id);
      context_.dead.insert(id);
      node.command.out.base = id;
      again.push_back(std::move(node));
    }
    for (const auto& reader : readers) rename(context_.nodes[reader.node].command);
    const auto place = context_.nodes.begin() + static_cast<std::ptrdiff_t>(readers.front().node);
    context_.nodes.insert(place, std::make_move_iterator(again.begin()),
                          std::make_move_iterator(again.end()));
  }

  Context& context_;
  std::unordered_map<ArrayId, std::size_t> makers_;  // right for nodes up to the one that is looked at
};

}  // namespace

void recompute(Context& context) { Recomputer(context).run(); }

}  // namespace gamelan::engine::plan
