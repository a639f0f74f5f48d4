// SPDX-License-Identifier: BSD-3-Clause
// Batch -> Plan. `make_plan` runs the passes in order over a Context; each can be switched off by name, and
// results do not change (a test says so). Deterministic: all ranks get the same plan from the same batch.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "engine/plan/communication_schedule.hpp"

namespace gamelan::engine::plan {

/// Passes that may be switched off: "relayout" (an existing array is stored anew by the axes it is looked
/// at), "simplify" (dead commands), "strength_reduction" (cheaper operations with the same bits),
/// "elide_copies" (a copy takes over the version that a later write leaves behind), "fuse" (several commands
/// in one pass over memory), "interior" (commands on the interior of an array and on all of it, too),
/// "contract" (dead temporaries stay in registers), "version" (overlapping in-place writes go to a fresh
/// block; without it no copy is elided either).
struct Options {
  int ranks = 1;
  std::set<std::string> disabled;
  bool keeps_unread =
      false;  ///< results that nobody reads are computed and stored all the same: somebody is timing
  std::optional<Standpoint>
      standpoint;  ///< of this rank, when there are several nodes: steps then say what they read
  bool has(const char* pass) const { return !disabled.contains(pass); }
};
const std::vector<std::string>& pass_names();

/// A command on its way to a step. Besides the commands of the wire there are the two general copies.
struct Node {
  enum class Kind : std::uint8_t { elementwise, reduce, matmul, irregular, gather, scatter, elided_copy };
  Kind kind{};
  protocol::Command command;
  int source = -1;  ///< index in the batch
  bool takes_version =
      false;  ///< writes in place, to a fresh version whatever it reads: the old one goes to a copy
};

/// Nodes that run in one pass, and the views they touch (for hazards); writes[i] is nodes[i]'s.
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
};

struct Context {
  Options options;
  std::vector<Node> nodes;
  std::unordered_map<ArrayId, ArrayInfo>
      arrays;                           ///< known, and made by the batch; layouts filled in by `fuse`
  std::unordered_set<ArrayId> created;  ///< by this batch
  std::unordered_set<ArrayId> dead;     ///< nobody names them after the batch
  std::unordered_set<ArrayId>
      assigned;  ///< may live on as the view that they are assigned to (engine/session/elided_copies.hpp)
  std::unordered_map<ArrayId, std::vector<int>> readers;  ///< nodes that read an array, by `find_readers`
  std::unordered_map<ArrayId, ArrayInfo>
      relayouts;              ///< how existing arrays were stored that get new extents first
  std::vector<View> fetches;  ///< what will be looked at after the last step
  std::vector<Group> groups;
  ArrayId next_temporary = ArrayId{1} << 63;
};

using Catalog = std::function<const ArrayInfo*(ArrayId)>;

Plan make_plan(const protocol::Batch& batch, const Catalog& catalog, const Options& options);

// The passes, one file each.
void canonicalise(Context& context);     ///< operands become boxes of their base; others get general copies
void simplify(Context& context);         ///< commands whose result nobody reads are dropped
void reduce_strength(Context& context);  ///< operations become cheaper ones with the same bits
void elide_copies(Context& context);     ///< copies whose original is written later take over its storage
void fuse(Context& context);             ///< nodes -> groups; chooses layouts of new arrays
Plan lower(Context& context);            ///< groups -> slots, programs, steps

/// Says before which steps an interrupt may end the plan.
void mark_prefixes(Plan& plan, const Context& context, const protocol::Batch& batch);
/// True when somebody may look at the array after an interrupt.
bool is_seen(const Context& context, ArrayId array);

void find_readers(Context& context);
/// How the result of an irregular command is to lie.
Layout layout_for_irregular(const Context& context, const protocol::Command& command);
/// Made by this batch, and unnamed after it.
bool is_dead_temporary(const Context& context, ArrayId array);
/// True when a dead temporary is only written and read as a whole by nodes of the group (and `joining`, if
/// any): it can live in a register and needs no memory.
bool stays_in_registers(const Context& context, const Group& group, ArrayId array, int joining = -1);

}  // namespace gamelan::engine::plan
