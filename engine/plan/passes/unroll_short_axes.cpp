// SPDX-License-Identifier: BSD-3-Clause
// Writes reductions over a short last axis out: `((x[:, None, :] - c) ** 2).sum(axis=2).argmin(axis=1)` of
// points with few coordinates and few centres becomes element-wise commands over the points, which share one
// pass. Nothing of the axes is in memory, except an array that has a name. A sum is added up in the order in
// which a fold of so few elements adds (fold_loops.cpp), so the bits are the same.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/short_axes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t lanes = 32;  // of a fold
// Into which the reductions of a batch become: planning takes time for each, also where a plan is used once.
constexpr std::size_t most_in_batch = 1024;

using Index = std::vector<std::int64_t>;  // one index for each axis, -1 where all are meant

/// The elements of a view at an index. The axes that it fixes are no longer there.
View at(const View& view, const Index& index) {
  View part = view;
  part.extents.clear();
  part.strides.clear();
  for (std::size_t k = 0; k < index.size(); ++k)
    if (index[k] >= 0) {
      part.offset += index[k] * view.strides[k];
    } else {
      part.extents.push_back(view.extents[k]);
      part.strides.push_back(view.strides[k]);
    }
  return part;
}

protocol::Scalar number(std::int64_t value) {
  protocol::Scalar scalar{Dtype::int64, {}};
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

class Unroller {
 public:
  Unroller(Context& context, const ShortAxisCone& cone) : context_(context), cone_(cone) {}

  /// The commands that take the place of the cone; none when the results would not be distributed.
  std::vector<Node> run() {
    const auto& root = context_.nodes[cone_.root];
    const auto& of = std::get<View>(root.command.in[0]);
    Index all(of.extents.size() - 1, -1);
    kept_ = Shape(of.extents.begin(), of.extents.end() - 1);
    layout_ = layout_of_leaf();
    if (layout_.is_replicated) return {};
    if (root.kind == Node::Kind::reduce) {
      fold(root, all, &root.command.out);
      return std::move(nodes_);
    }
    if (cone_.stored) lay_out(*cone_.stored);
    lay_out(root.command.out.base);
    search(root);
    return std::move(nodes_);
  }

 private:
  /// Where the results lie: as the first operand that is as long as they are.
  Layout layout_of_leaf() const {
    for (const auto n : cone_.nodes)
      for (const auto& operand : context_.nodes[n].command.in) {
        const auto* view = std::get_if<View>(&operand);
        if (view && !cone_.made_by.contains(view->base))
          if (const auto layout = layout_of(*view)) return *layout;
      }
    const auto& of = std::get<View>(context_.nodes[cone_.root].command.in[0]);
    if (!cone_.made_by.contains(of.base))
      if (const auto layout = layout_of(of)) return *layout;
    return distribution::default_layout(kept_, context_.options.ranks);
  }

  std::optional<Layout> layout_of(const View& view) const {
    const auto& info = context_.arrays.at(view.base);
    if (info.layout.axes.size() != info.extents.size() || view.extents.size() < kept_.size())
      return std::nullopt;
    Index index(view.extents.size(), 0);
    std::fill_n(index.begin(), kept_.size(), -1);
    const View part = at(view, index);
    if (part.extents != kept_ || std::find(part.strides.begin(), part.strides.end(), 0) != part.strides.end())
      return std::nullopt;
    const auto placement = placement_of(part, info);
    if (!placement || placement->iterations.is_replicated ||
        !distribution::is_balanced(placement->iterations))
      return std::nullopt;
    return placement->iterations;
  }

  /// A layout for an array that will be written one index of its last axis at a time.
  void lay_out(ArrayId array) {
    auto& info = context_.arrays.at(array);
    info.layout = layout_;
    info.layout.axes.push_back({.extent = info.extents.back(), .template_extent = info.extents.back()});
  }

  View temporary(Dtype dtype) {
    const auto id = context_.next_temporary++;
    context_.arrays[id] = {kept_, dtype, {}};
    context_.created.insert(id);
    context_.dead.insert(id);
    return protocol::whole(id, dtype, kept_);
  }

  /// Appends a command. It writes a new temporary, unless it is told where to.
  View add(int source, Op op, Dtype loop, Dtype dtype, std::vector<protocol::Operand> in,
           const View* out = nullptr) {
    Node node;
    node.kind = Node::Kind::elementwise;
    node.source = source;
    node.command.op = op;
    node.command.loop = loop;
    node.command.in = std::move(in);
    node.command.out = out ? *out : temporary(dtype);
    node.command.creates = out == nullptr || out->extents == context_.arrays.at(out->base).extents;
    nodes_.push_back(std::move(node));
    return nodes_.back().command.out;
  }

  /// The elements of an operand at an index, computed first where the cone computes them.
  View value(const View& view, const Index& index) {
    const auto made = cone_.made_by.find(view.base);
    if (made == cone_.made_by.end()) return at(view, index);
    const std::pair key{view.base, index};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Node maker = context_.nodes[made->second];
    const View stored = at(maker.command.out, index);
    const View* out = cone_.stored == view.base ? &stored : nullptr;
    const View result =
        maker.kind == Node::Kind::reduce ? fold(maker, index, out) : copy_of(maker, index, out);
    return known_[key] = result;
  }

  View copy_of(const Node& maker, const Index& index, const View* out) {
    std::vector<protocol::Operand> in = maker.command.in;
    for (auto& operand : in)
      if (auto* view = std::get_if<View>(&operand)) *view = value(*view, index);
    return add(maker.source, maker.command.op, maker.command.loop, maker.command.out.dtype, std::move(in),
               out);
  }

  View fold(const Node& reduction, const Index& index, const View* out) {
    const auto& of = std::get<View>(reduction.command.in[0]);
    return tree(reduction, of, index, 0, 1, out);
  }

  /// Lane `lane` of a fold after the lanes have been folded in halves down to `half`.
  View tree(const Node& reduction, const View& of, const Index& index, std::int64_t lane, std::int64_t half,
            const View* out) {
    if (half == lanes) {
      Index element = index;
      element.push_back(lane);
      return value(of, element);
    }
    const auto& command = reduction.command;
    View left = tree(reduction, of, index, lane, 2 * half, nullptr);
    if (lane + half >= of.extents.back()) return left;
    View right = tree(reduction, of, index, lane + half, 2 * half, nullptr);
    const auto dtype = half == 1 ? command.out.dtype : command.loop;
    return add(reduction.source, protocol::info(command.op).of, command.loop, dtype,
               {std::move(left), std::move(right)}, out);
  }

  /// The first of the smallest (largest) elements, where NaN is smaller (larger) than all, as run_arg_lines
  /// finds it.
  void search(const Node& root) {
    const auto& of = std::get<View>(root.command.in[0]);
    Index first(of.extents.size(), -1);
    first.back() = 0;
    const View result = at(root.command.out, first);
    best_of(root, 0, of.extents.back(), &result);
  }

  struct Found {
    View value;
    protocol::Operand place;
  };

  /// The same among the elements from `begin` to `end`. Both halves at once: a comparison waits for few that
  /// came before. `result`: where the place goes; then nobody needs the value.
  Found best_of(const Node& root, std::int64_t begin, std::int64_t end, const View* result) {
    const auto& of = std::get<View>(root.command.in[0]);
    if (end - begin == 1) {
      Index element(of.extents.size(), -1);
      element.back() = begin;
      return {value(of, element), number(begin)};
    }
    const auto middle =
        begin + static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(end - begin)) / 2);
    Found left = best_of(root, begin, middle, nullptr);
    Found right = best_of(root, middle, end, nullptr);
    const View is_right = is_better(root, right.value, left.value);
    const auto choose = [&](Dtype dtype, protocol::Operand one, protocol::Operand other, const View* out) {
      return add(root.source, Op::where, dtype, dtype, {is_right, std::move(one), std::move(other)}, out);
    };
    const View place = choose(Dtype::int64, std::move(right.place), std::move(left.place), result);
    return {result ? View() : choose(of.dtype, right.value, left.value, nullptr), place};
  }

  /// True where an element comes before one of a smaller place.
  View is_better(const Node& root, const View& element, const View& best) {
    const auto dtype = element.dtype;
    const bool is_max = root.command.op == Op::argmax;
    const auto compare = [&](Op op, const View& left, const View& right) {
      return add(root.source, op, dtype, Dtype::bool_, {left, right});
    };
    if (dtype != Dtype::float32 && dtype != Dtype::float64)
      return compare(is_max ? Op::greater : Op::less, element, best);
    const View is_worse = compare(is_max ? Op::less_equal : Op::greater_equal, element, best);
    const View is_not = add(root.source, Op::logical_not, Dtype::bool_, Dtype::bool_, {is_worse});
    const View is_number = compare(Op::equal, best, best);
    return add(root.source, Op::logical_and, Dtype::bool_, Dtype::bool_, {is_not, is_number});
  }

  Context& context_;
  const ShortAxisCone& cone_;
  Shape kept_;  // extents of all that is computed
  Layout layout_;
  std::vector<Node> nodes_;
  std::map<std::pair<ArrayId, Index>, View> known_;
};

}  // namespace

void unroll_short_axes(Context& context) {
  find_readers(context);
  std::size_t written = 0;
  // The last first: a search takes the sums in that it reads.
  for (std::size_t n = context.nodes.size(); n-- > 0 && written < most_in_batch;) {
    const auto cone = cone_of(context, n);
    if (!cone) continue;
    auto unrolled = Unroller(context, *cone).run();
    if (unrolled.empty()) continue;
    written += unrolled.size();
    std::vector<Node> nodes;
    for (std::size_t k = 0; k < context.nodes.size(); ++k) {
      const bool is_in = std::find(cone->nodes.begin(), cone->nodes.end(), k) != cone->nodes.end();
      if (k == n)
        std::move(unrolled.begin(), unrolled.end(), std::back_inserter(nodes));
      else if (!is_in)
        nodes.push_back(std::move(context.nodes[k]));
    }
    context.nodes = std::move(nodes);
    n -= cone->nodes.size();
    find_readers(context);
  }
}

}  // namespace gamelan::engine::plan
