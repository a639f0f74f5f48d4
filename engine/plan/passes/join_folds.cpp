// SPDX-License-Identifier: BSD-3-Clause
// Joins passes that fold values of the same operand: `[np.where(k == j, x, 0).sum(axis=0) for j in range(8)]`
// reads x once. `fuse` does so where reduction blocks end where the ranks' blocks end. Elsewhere a pass with
// a reduction may store nothing. When `fuse` meets a temporary it does not know yet that only reductions read
// it, which could be in that pass; here they are in a group with it.
#include <algorithm>

#include "engine/plan/passes/hazards.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t look_back = 32;      // groups
constexpr std::size_t most_operands = 48;  // as in fuse.cpp
constexpr std::size_t most_folds = 4;      // the values of more leave a second-level cache
constexpr std::size_t most_masked = 16;  // values that are never written (engine/steps/folds/masked_sums.hpp)

class FoldJoiner {
 public:
  explicit FoldJoiner(Context& context) : context_(context), groups_(context.groups) {}

  void run() {
    std::vector<bool> may_be_joined;
    for (const Group& group : groups_) may_be_joined.push_back(is_candidate(group));
    for (std::size_t later = 1; later < groups_.size(); ++later) {
      if (!may_be_joined[later]) continue;
      for (std::size_t g = later; g-- > 0 && later - g <= look_back;) {
        const bool fits = may_be_joined[g] && fit(groups_[g], groups_[later]);
        if (depends(groups_[later], groups_[g])) break;
        if (!fits) continue;
        join(groups_[g], groups_[later]);
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(later));
        may_be_joined.erase(may_be_joined.begin() + static_cast<std::ptrdiff_t>(later--));
        break;
      }
    }
  }

 private:
  const Node& node(int n) const { return context_.nodes[static_cast<std::size_t>(n)]; }

  std::size_t count(const Group& group, Node::Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(group.nodes.begin(), group.nodes.end(), [&](int n) { return node(n).kind == kind; }));
  }

  /// True for a pass that computes values for reductions only, and stores none of them. One product for one
  /// sum has a loop of its own (engine/steps/folds/product_factors.hpp).
  bool is_candidate(const Group& group) const {
    if (!group.fold_axes || group.interior || !group.versioned.empty()) return false;
    const auto computed = count(group, Node::Kind::elementwise), folds = count(group, Node::Kind::reduce);
    if (computed == 0 || computed + folds != group.nodes.size()) return false;
    if (computed == 1 && folds == 1 && node(group.nodes.front()).command.op == Op::multiply) return false;
    return std::all_of(group.nodes.begin(), group.nodes.end(), [&](int n) {
      const auto& made = node(n).command.out.base;
      return node(n).command.creates && !node(n).again_after &&
             (node(n).kind == Node::Kind::reduce || stays_in_registers(context_, group, made));
    });
  }

  static bool is_zero(const protocol::Operand& operand) {
    const auto* scalar = std::get_if<protocol::Scalar>(&operand);
    return scalar && std::all_of(scalar->bytes.begin(), scalar->bytes.end(),
                                 [](std::byte each) { return each == std::byte{0}; });
  }

  /// True when all that is folded are sums of rows that a mask names, zeros for the others: none is written
  /// (engine/steps/folds/masked_sums.hpp).
  bool is_masked(const Group& group) const {
    return std::all_of(group.nodes.begin(), group.nodes.end(), [&](int n) {
      const auto& command = node(n).command;
      if (node(n).kind == Node::Kind::reduce)
        return command.op == Op::sum && (command.loop == Dtype::float64 || command.loop == Dtype::float32);
      const auto* mask = command.op == Op::where ? std::get_if<View>(&command.in[0]) : nullptr;
      return mask && is_zero(command.in[2]) && !mask->strides.empty() &&
             std::all_of(mask->strides.begin() + 1, mask->strides.end(),
                         [](auto stride) { return stride == 0; });
    });
  }

  /// True for passes over the same elements that read one operand in common, and not too much together.
  bool fit(const Group& group, const Group& later) const {
    if (group.extents != later.extents || group.fold_axes != later.fold_axes ||
        group.iterations != later.iterations)
      return false;
    if (group.loads.size() + group.stores.size() + later.loads.size() + later.stores.size() > most_operands)
      return false;
    if (std::none_of(later.loads.begin(), later.loads.end(),
                     [&](const View& view) { return walks(group, view); }))
      return false;
    const auto folds = count(group, Node::Kind::reduce) + count(later, Node::Kind::reduce);
    return folds <= (is_masked(group) && is_masked(later) ? most_masked : most_folds);
  }

  /// True for an operand of the pass's own size that the group reads.
  static bool walks(const Group& group, const View& view) {
    return std::none_of(view.strides.begin(), view.strides.end(), [](auto stride) { return stride == 0; }) &&
           std::find(group.loads.begin(), group.loads.end(), view) != group.loads.end();
  }

  bool depends(const Group& later, const Group& group) const {
    return std::any_of(later.nodes.begin(), later.nodes.end(),
                       [&](int n) { return depends_on(node(n).command, group); });
  }

  static void join(Group& group, const Group& later) {
    group.nodes.insert(group.nodes.end(), later.nodes.begin(), later.nodes.end());
    group.reads.insert(group.reads.end(), later.reads.begin(), later.reads.end());
    group.writes.insert(group.writes.end(), later.writes.begin(), later.writes.end());
    group.made.insert(later.made.begin(), later.made.end());
    for (const auto& [from, to] : {std::pair(&later.loads, &group.loads), {&later.stores, &group.stores}})
      for (const View& view : *from)
        if (std::find(to->begin(), to->end(), view) == to->end()) to->push_back(view);
  }

  Context& context_;
  std::vector<Group>& groups_;
};

}  // namespace

void join_folds(Context& context) { FoldJoiner(context).run(); }

}  // namespace gamelan::engine::plan
