// SPDX-License-Identifier: BSD-3-Clause
// A plan is data: slots (versions of storage) and steps over them, in order. Every rank makes the same plan
// from the same batch and takes its own part of each step; nothing in it depends on the rank. `dump` is what
// np.explain shows.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "engine/distribution/exchange.hpp"
#include "engine/plan/step_calls.hpp"
#include "engine/plan/step_copies.hpp"
#include "engine/plan/step_files.hpp"
#include "engine/plan/step_folds.hpp"
#include "engine/plan/step_fused.hpp"
#include "engine/plan/step_irregular.hpp"
#include "engine/plan/step_linalg.hpp"
#include "engine/plan/step_sort.hpp"

namespace gamelan::engine::plan {

struct Step {
  std::variant<FusedLoop, FoldBlocks, FoldFinish, Gather, Scatter, Matmul, Take, PartitionUpdates,
               ApplyUpdates, Find, Collect, ScanTotals, Scan, SortLines, SortRuns, MergeRuns, CollectPlaces,
               Count, AddCounts, FourierLines, Draw, Routine, WholeMatrices, SpreadBlocks, BlockedMatrix,
               CollectBlocks, WeightedCount, AddWeightedCounts, Search, ReadFile, ReadHdf5, ReadZarr,
               WriteFile>
      body;
  std::vector<int> allocates;  ///< slots that come to life before the step
  std::vector<int> binds;      ///< slots that become their array's current version after it
  struct HandOver {
    int slot;
    ArrayId to;
  };
  std::vector<HandOver>
      hands_over;             ///< slots that another array owns after it: a copy that needed no copying
  std::vector<int> releases;  ///< slots whose last use this is
  int command = -1;           ///< the last batch command it completes, for error messages
  std::vector<int> commands;  ///< every command it completes
  std::vector<distribution::RemoteRead>
      remote_reads;  ///< what it reads of other ranks' blocks, as far as the plan knows; several nodes only
  int prefix =
      -1;  ///< a run may end before it: exactly so many commands of the batch have happened; -1: it may not
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Step> steps;
};

/// A slot that a step touches, and how.
struct Use {
  int slot;
  bool is_written, may_be_remote;
};
/// Of any step.
std::vector<Use> uses_of(const Step& step);
/// Must every rank run it, and at the same time? Then none does when one has failed before.
inline bool is_collective(const Step& step) {
  return std::holds_alternative<Routine>(step.body) || std::holds_alternative<BlockedMatrix>(step.body);
}
/// Slots that a step reads or writes.
std::vector<int> slots_of(const Step& step);
/// Readable text: one line per slot and step, programs indented.
std::string dump(const Plan& plan);

}  // namespace gamelan::engine::plan
