// SPDX-License-Identifier: BSD-3-Clause
// The list of the passes, in order, and the function that runs them. Each pass transforms what the passes
// before it have made of the batch, and knows nothing of the other passes.
#pragma once
#include <array>
#include <atomic>

#include "engine/plan/context.hpp"

namespace gamelan::engine::plan {

/// What a pass works on: the context up to `lower`, the plan from there on.
struct Planning {
  const protocol::Batch& batch;
  Context context;
  Plan plan;
};

/// One pass. It runs when `is_on` is true for the options.
struct Pass {
  const char* name;
  bool (*is_on)(const Options&);
  void (*run)(Planning&);
  bool has_plan;  ///< after this pass there is a plan, which must be legal
};
std::span<const Pass> passes();

/// Seconds that each pass has taken, by its place in the list. One thread adds, others may read.
struct PassTimes {
  std::array<std::atomic<double>, 20> seconds{};
  void reset() {
    for (auto& each : seconds) each = 0;
  }
};

/// Runs the passes that are switched on. In builds with costly assertions every plan is verified (verify.hpp)
/// after the pass that made or changed it. Throws Error{internal} when a plan is not legal.
void run_passes(Planning& planning);

// The passes, one file each.
void narrow(Context& context);             ///< temporaries become the elements of them that are read
void canonicalise(Context& context);       ///< operands become boxes of their base; others get general copies
void choose_extents(Context& context);     ///< of the arrays; the first part of canonicalise
void simplify(Context& context);           ///< drops commands whose result is never read
void reduce_strength(Context& context);    ///< replaces operations by cheaper ones with the same bits
void elide_copies(Context& context);       ///< copies whose original is written later take over its storage
void split_assembled(Context& context);    ///< reads arrays that copies fill where their parts come from
void unroll_short_axes(Context& context);  ///< writes reductions over a few elements out
void sink_temporaries(Context& context);   ///< temporaries behind reductions that come before their reader
void recompute(Context& context);          ///< computes cheap temporaries again in a second pass
/// Finds new arrays whose first contents nobody reads.
void find_overwritten(Context& context, const protocol::Batch& batch);
void fuse(Context& context);        ///< nodes -> groups; chooses layouts of new arrays
void join_folds(Context& context);  ///< passes that fold values of the same operand
Plan lower(Context& context);       ///< groups -> slots, programs, steps
void chain_rows(Plan& plan);        ///< passes over the same rows run some rows at a time
/// Sweeps over the same large arrays become wavefronts; for one node only.
void tile_time(Plan& plan, const Options& options);
/// Marks the steps before which an interrupt may end the plan.
void mark_prefixes(Plan& plan, const Context& context, const protocol::Batch& batch);
/// Notes for each step what it reads of other ranks; for several nodes only.
void find_remote_reads(Plan& plan);

}  // namespace gamelan::engine::plan
