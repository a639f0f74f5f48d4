// SPDX-License-Identifier: BSD-3-Clause
// A batch while it becomes a plan: its commands as nodes, the arrays that they name, and the groups that
// `fuse` makes of them. Data that the passes hand on, and a few questions that several of them need.
#pragma once
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/distribution/reshaped.hpp"
#include "engine/plan/options.hpp"
#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// A command while it becomes a step: a command of the client, or one of the two general copies.
struct Node {
  enum class Kind : std::uint8_t { elementwise, reduce, matmul, irregular, gather, scatter, elided_copy };
  Kind kind{};
  protocol::Command command;
  int source = -1;  ///< index in the batch
  bool takes_version =
      false;  ///< writes in place, but to a fresh version whatever it reads: a copy takes over the old one
  /// It computes something a second time (recompute.cpp), in no group up to the one that makes this array,
  /// and completes no command; 0: it does not.
  ArrayId again_after = 0;
  bool is_overwritten = false;  ///< only makes its array: later nodes write all of it before one reads it
};

/// Nodes that run in one pass, and the views that they touch (for hazards). writes[i] belongs to nodes[i].
struct Group {
  /// The first `nodes` of them run over a box of the iterations only (interior.hpp).
  struct Interior {
    std::size_t nodes;
    Shape first;
    Layout iterations;  ///< of the box
  };
  std::vector<int> nodes;
  Shape extents;  ///< of the iteration space
  Layout iterations;
  std::vector<View> reads, writes;
  std::unordered_set<ArrayId> made;       ///< arrays that its nodes create
  std::unordered_set<ArrayId> versioned;  ///< arrays whose written view goes to a fresh block
  std::vector<View> loads, stores;  ///< distinct views in memory that the pass reads, and may have to write
  std::optional<std::vector<std::int64_t>> fold_axes;  ///< of the reductions in it, all over the same axes
  std::optional<Interior> interior;
  bool is_fusable = false;
  /// But results of reductions: other arrays would lie unlike their operands.
  bool stores_nothing = false;
};

/// What the passes read and change: the nodes in program order, the arrays that they name, and the groups.
struct Context {
  Options options;
  std::vector<Node> nodes;
  std::unordered_map<ArrayId, ArrayInfo>
      arrays;                           ///< known, and made by the batch; layouts filled in by `fuse`
  std::unordered_set<ArrayId> created;  ///< by this batch
  std::unordered_set<ArrayId> dead;     ///< without a name after the batch
  std::unordered_set<ArrayId>
      assigned;  ///< may live on as the view that they are assigned to (engine/session/elided_copies.hpp)
  std::unordered_map<ArrayId, std::vector<int>> readers;  ///< nodes that read an array, by `find_readers`
  std::unordered_set<ArrayId> changed;  ///< arrays that nodes write to which do not create them, by the same
  std::unordered_map<ArrayId, ArrayInfo>
      relayouts;  ///< how existing arrays were stored that get new extents first
  std::unordered_map<ArrayId, std::vector<View>>
      looks;  ///< views of new arrays that are boxes only if `fuse` lays the arrays out for them
  std::vector<View> fetches;  ///< read after the last step
  unsigned watched = 0;       ///< kinds of floating-point errors that somebody hears of
  std::vector<Group> groups;
  ArrayId next_temporary = ArrayId{1} << 63;
};

/// The view as a box of its base, as that is stored or with the same blocks under other extents; nullopt when
/// it is none, or when the layout of the base is not known yet.
inline std::optional<distribution::Placement> placement_of(const View& view, const ArrayInfo& base) {
  return distribution::place(base.layout, base.extents, base.dtype, view);
}
/// True when the view is a box of its base, and the boxes beside it are the rest: then a write to it may go
/// to a fresh version.
bool can_be_carried_around(const View& view, const ArrayInfo& base);
/// True when the array, laid out like this, has boxes for all its `looks`.
bool suits_looks(const Context& context, ArrayId array, const Layout& layout);
/// Fills `readers` and `changed`.
void find_readers(Context& context);
/// True for an array that this batch creates and that has no name after it.
bool is_dead_temporary(const Context& context, ArrayId array);
/// True for a dead temporary that passes may keep in registers: nothing changes it once it is made.
bool may_be_in_registers(const Context& context, ArrayId array);
/// True when a dead temporary is written and read only as a whole, by nodes of the group (and `joining`, if
/// any): then it can stay in a register and needs no memory.
bool stays_in_registers(const Context& context, const Group& group, ArrayId array, int joining = -1);
/// True when the user may see the array after an interrupt.
bool is_seen(const Context& context, ArrayId array);

}  // namespace gamelan::engine::plan
