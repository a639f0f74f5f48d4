// SPDX-License-Identifier: BSD-3-Clause
// Elements that nobody reads are not computed. Of `(v + w)[17]` and `np.exp(m)[:, ::100]` a few elements are
// read, and the rest dies with the temporary: the command runs over what is read, and so do those before it
// that only it reads. Where somebody hears of floating-point errors, a command that may meet one runs over
// all elements, so that NumPy's warnings are no less; but not over a large array of which a few are read
// (protocol::are_few).
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t least_gain =
    4;  // as many times fewer elements: others are laid out as well as they are

/// Which elements of an array a view has: along each axis of the array one place, or those of an axis of the
/// view.
struct Selection {
  Shape first;                      ///< by axis of the array
  std::vector<int> axes;            ///< by axis of the view: which of the array; -1 where it has one element
  std::vector<std::int64_t> steps;  ///< by axis of the view
};

/// nullopt for a view that is no such selection, as one that was reshaped.
std::optional<Selection> selection_of(const View& view, const Shape& extents, std::size_t item_bytes) {
  const auto strides = protocol::contiguous_strides(extents, item_bytes);
  Selection found;
  auto offset = view.offset;
  for (const auto stride : strides) {
    found.first.push_back(offset / stride);
    offset %= stride;
  }
  if (offset != 0) return std::nullopt;
  std::vector<bool> is_taken(extents.size());
  for (std::size_t a = 0; a < view.extents.size(); ++a) {
    found.axes.push_back(-1);
    found.steps.push_back(0);
    if (view.extents[a] == 1) continue;
    const auto stride = view.strides[a];
    std::size_t k = 0;
    while (k < extents.size() && (extents[k] == 1 || std::abs(stride) < strides[k])) ++k;
    if (k == extents.size() || is_taken[k] || stride % strides[k] != 0) return std::nullopt;
    const auto step = stride / strides[k];
    const auto last = found.first[k] + step * (view.extents[a] - 1);
    if (last < 0 || last >= extents[k]) return std::nullopt;
    is_taken[k] = true;
    found.axes[a] = static_cast<int>(k);
    found.steps[a] = step;
  }
  return found;
}

/// Those elements of a view with the extents of the array.
View part_of(const View& view, const Selection& selection, const Shape& extents) {
  View part{view.base, view.dtype, view.offset, extents, Shape(extents.size())};
  for (std::size_t k = 0; k < selection.first.size(); ++k)
    part.offset += selection.first[k] * view.strides[k];
  for (std::size_t a = 0; a < extents.size(); ++a)
    if (selection.axes[a] >= 0)
      part.strides[a] = selection.steps[a] * view.strides[static_cast<std::size_t>(selection.axes[a])];
  return part;
}

char kind_of(protocol::Dtype dtype) { return protocol::info(dtype).kind; }
bool is_inexact(protocol::Dtype dtype) { return kind_of(dtype) == 'f' || kind_of(dtype) == 'c'; }

bool cast_may_fail(protocol::Dtype from, protocol::Dtype to) {
  const auto part_bytes = [](protocol::Dtype dtype) {
    return protocol::size_of(dtype) / (kind_of(dtype) == 'c' ? 2 : 1);
  };
  if (!is_inexact(from)) return to == protocol::Dtype::float16;
  if (!is_inexact(to)) return kind_of(to) != 'b';
  return part_bytes(to) < part_bytes(from);
}

/// True when some elements may meet floating-point errors that users are told of, in a cast, too.
bool may_fail(const protocol::Command& command) {
  using protocol::FloatRule;
  const auto& row = protocol::info(command.op);
  const bool is_told = row.errors == FloatRule::modulus
                           ? kind_of(command.loop) == 'c'
                           : row.errors != FloatRule::untold && row.errors != FloatRule::silent;
  if (is_told && is_inexact(command.loop)) return true;
  return (row.result != protocol::Result::boolean && cast_may_fail(command.loop, command.out.dtype)) ||
         std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
           const auto* view = std::get_if<View>(&operand);
           return view && cast_may_fail(view->dtype, command.loop);
         });
}

class Narrower {
 public:
  explicit Narrower(Context& context) : context_(context) {
    for (const auto& view : context_.fetches) needed_.insert(view.base);
    for (const auto& node : context_.nodes)
      if (!node.command.creates) needed_.insert(node.command.out.base);
    for (const auto& node : context_.nodes) {
      const auto id = node.command.out.base;
      if (is_candidate(node))
        candidates_.insert(id);
      else if (protocol::is_elementwise(node.command.op) && is_dead_temporary(context_, id))
        whole_.insert(id);
    }
  }

  void run() {
    // The last first: what a narrowed command reads has become less.
    for (auto n = context_.nodes.size(); n-- > 0;) {
      auto& command = context_.nodes[n].command;
      if (command.creates && candidates_.contains(command.out.base)) narrow(command);
      for (auto& operand : command.in)
        if (auto* view = std::get_if<View>(&operand)) reads_[view->base].push_back(view);
    }
  }

 private:
  /// True for a temporary that one command makes, each element from those at its place in the operands. What
  /// may lie in registers beside it, but is needed in whole, would have to be stored without it.
  bool is_candidate(const Node& node) const {
    const auto& command = node.command;
    const auto id = command.out.base;
    return node.kind == Node::Kind::elementwise && !node.takes_version && command.creates &&
           command.payload < 0 && command.ints.empty() && protocol::is_elementwise(command.op) &&
           protocol::info(command.op).kind != protocol::RowKind::nullary && is_dead_temporary(context_, id) &&
           !needed_.contains(id) && !context_.assigned.contains(id) && !context_.arrays.at(id).is_chosen &&
           may_be_narrowed(command, 1) &&
           std::all_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
             const auto* view = std::get_if<View>(&operand);
             return view ? view->extents == command.out.extents && !whole_.contains(view->base)
                         : std::holds_alternative<protocol::Scalar>(operand);
           });
  }

  /// False where somebody would hear of errors of the other elements than these.
  bool may_be_narrowed(const protocol::Command& command, std::int64_t elements) const {
    return context_.watched == 0 || !may_fail(command) ||
           protocol::are_few(elements, protocol::element_count(command.out.extents));
  }

  void narrow(protocol::Command& command) {
    const auto found = reads_.find(command.out.base);
    if (found == reads_.end()) return;
    const auto& reads = found->second;
    View read = *reads.front();
    if (!std::all_of(reads.begin(), reads.end(), [&](const View* other) { return *other == read; })) return;
    for (std::size_t a = 0; a < read.extents.size(); ++a)
      if (read.strides[a] == 0) read.extents[a] = std::min<std::int64_t>(read.extents[a], 1);
    const auto elements = protocol::element_count(read.extents);
    if (elements == 0 || read.dtype != command.out.dtype || !may_be_narrowed(command, elements) ||
        elements > protocol::element_count(command.out.extents) / least_gain)
      return;
    const auto selection = selection_of(read, command.out.extents, protocol::size_of(read.dtype));
    if (!selection) return;
    auto operands = command.in;
    for (auto& operand : operands)
      if (auto* view = std::get_if<View>(&operand)) {
        *view = part_of(*view, *selection, read.extents);
        const auto& base = context_.arrays.at(view->base);
        if (!protocol::axis_wise(*view, base.extents, base.dtype)) return;  // others are copied first
      }
    command.in = std::move(operands);
    command.out = protocol::whole(command.out.base, command.out.dtype, read.extents);
    context_.arrays.at(command.out.base).extents = read.extents;
    for (auto* view : reads) {
      View whole = command.out;
      for (std::size_t a = 0; a < read.extents.size(); ++a)
        if (view->extents[a] != read.extents[a]) whole.strides[a] = 0;
      whole.extents = view->extents;
      *view = std::move(whole);
    }
  }

  Context& context_;
  std::unordered_set<ArrayId> needed_;                     ///< fetched, or written more than once
  std::unordered_set<ArrayId> candidates_, whole_;         ///< temporaries of operations on elements
  std::unordered_map<ArrayId, std::vector<View*>> reads_;  ///< by the nodes behind
};

}  // namespace

void narrow(Context& context) { Narrower(context).run(); }

}  // namespace gamelan::engine::plan
