// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/passes.hpp"

#include <chrono>

#include "engine/assert.hpp"
#include "engine/plan/verify.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr SwitchInfo switch_table[] = {
    {Switch::relayout, "relayout",
     "an existing array is stored anew for the shapes in which it is looked at"},
    {Switch::simplify, "simplify",
     "commands whose result nobody reads are dropped, and of others the elements that nobody reads"},
    {Switch::strength_reduction, "strength_reduction", "cheaper operations with the same bits"},
    {Switch::elide_copies, "elide_copies", "a copy takes over the version that a later write leaves behind"},
    {Switch::split_assembled, "split_assembled",
     "what copies put together is read where its parts come from"},
    {Switch::unroll_short_axes, "unroll_short_axes",
     "reductions over a few elements are written out, in the pass that computes these"},
    {Switch::recompute, "recompute", "cheap temporaries are computed twice, and stored nowhere"},
    {Switch::fuse, "fuse", "several commands in one pass over memory"},
    {Switch::interior, "interior", "commands on the interior of an array and on all of it in one pass, too"},
    {Switch::contract, "contract", "dead temporaries stay in registers"},
    {Switch::version, "version",
     "overlapping in-place writes go to a fresh block; without it no copy is elided either"},
    {Switch::chain_rows, "chain_rows", "passes over the same rows, some rows at a time"},
    {Switch::tile_time, "tile_time", "sweeps over large arrays, some rows at a time through several sweeps"},
    {Switch::put_by_owner, "put_by_owner",
     "few ranks of one node write what is theirs, and nobody sorts it for them"},
};

constexpr bool is_in_order() {
  for (std::size_t s = 0; s < std::size(switch_table); ++s)
    if (static_cast<std::size_t>(switch_table[s].which) != s) return false;
  return true;
}
static_assert(is_in_order(), "Options::has finds a switch by its number");

bool always(const Options&) { return true; }

constexpr Pass pass_table[] = {
    {"narrow", [](const Options& o) { return o.has(Switch::simplify) && !o.keeps_unread; },
     [](Planning& p) { narrow(p.context); }, false},
    {"canonicalise", always, [](Planning& p) { canonicalise(p.context); }, false},
    {"simplify", [](const Options& o) { return o.has(Switch::simplify) && !o.keeps_unread; },
     [](Planning& p) { simplify(p.context); }, false},
    {"strength_reduction", [](const Options& o) { return o.has(Switch::strength_reduction); },
     [](Planning& p) { reduce_strength(p.context); }, false},
    {"elide_copies", [](const Options& o) { return o.has(Switch::elide_copies) && o.has(Switch::version); },
     [](Planning& p) { elide_copies(p.context); }, false},
    {"split_assembled",
     [](const Options& o) {
       return o.has(Switch::split_assembled) && o.has(Switch::fuse) && !o.keeps_unread;
     },
     [](Planning& p) { split_assembled(p.context); }, false},
    {"unroll_short_axes",
     [](const Options& o) {
       return o.has(Switch::unroll_short_axes) && o.has(Switch::fuse) && o.has(Switch::contract) &&
              !o.keeps_unread;
     },
     [](Planning& p) { unroll_short_axes(p.context); }, false},
    {"sink_temporaries", [](const Options& o) { return o.has(Switch::fuse) && !o.keeps_unread; },
     [](Planning& p) { sink_temporaries(p.context); }, false},
    {"recompute",
     [](const Options& o) {
       return o.has(Switch::recompute) && o.has(Switch::fuse) && o.has(Switch::contract) && !o.keeps_unread;
     },
     [](Planning& p) { recompute(p.context); }, false},
    {"find_overwritten", [](const Options& o) { return o.has(Switch::simplify) && !o.keeps_unread; },
     [](Planning& p) { find_overwritten(p.context, p.batch); }, false},
    {"fuse", always, [](Planning& p) { fuse(p.context); }, false},  // off: every group is one command
    {"join_folds", [](const Options& o) { return o.has(Switch::fuse) && o.has(Switch::contract); },
     [](Planning& p) { join_folds(p.context); }, false},
    {"lower", always, [](Planning& p) { p.plan = lower(p.context); }, true},
    {"chain_rows", [](const Options& o) { return o.has(Switch::chain_rows); },
     [](Planning& p) { chain_rows(p.plan); }, true},
    {"tile_time",
     [](const Options& o) {
       return o.has(Switch::tile_time) && o.tiling != Tiling::off && !o.standpoint.has_value();
     },
     [](Planning& p) { tile_time(p.plan, p.context.options); }, true},
    {"mark_prefixes", always, [](Planning& p) { mark_prefixes(p.plan, p.context, p.batch); }, true},
    {"find_remote_reads", [](const Options& o) { return o.standpoint.has_value(); },
     [](Planning& p) { find_remote_reads(p.plan); }, true},
};
static_assert(std::size(pass_table) <= std::tuple_size_v<decltype(PassTimes::seconds)>);

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::span<const SwitchInfo> switches() { return switch_table; }
std::span<const Pass> passes() { return pass_table; }

void run_passes(Planning& planning) {
  const auto& options = planning.context.options;
  for (std::size_t p = 0; p < std::size(pass_table); ++p) {
    const auto& pass = pass_table[p];
    if (!pass.is_on(options)) continue;
    const double start = options.times ? now_s() : 0;
    pass.run(planning);
    if (options.times) {
      auto& seconds = options.times->seconds[p];
      seconds = seconds + (now_s() - start);
    }
    if constexpr (assert_level >= AssertLevel::costly) {
      if (!pass.has_plan) continue;
      const auto fault = find_fault(planning.plan, options.ranks);
      GAMELAN_ASSERT(costly, !fault, "pass " + std::string(pass.name) + " made no legal plan: " + *fault);
    }
  }
}

}  // namespace gamelan::engine::plan
