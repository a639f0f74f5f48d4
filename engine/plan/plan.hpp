// SPDX-License-Identifier: BSD-3-Clause
// A plan is data: slots (versions of storage) and steps over them, in order. Every rank makes the same plan
// from the same batch and does its own part of each step; nothing in the plan depends on the rank. `dump`
// gives the text that np.explain shows.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "engine/distribution/exchange.hpp"
#include "engine/plan/step_calls.hpp"
#include "engine/plan/step_chain.hpp"
#include "engine/plan/step_copies.hpp"
#include "engine/plan/step_files.hpp"
#include "engine/plan/step_folds.hpp"
#include "engine/plan/step_fused.hpp"
#include "engine/plan/step_irregular.hpp"
#include "engine/plan/step_linalg.hpp"
#include "engine/plan/step_sort.hpp"
#include "engine/plan/step_wavefront.hpp"

namespace gamelan::engine::plan {

/// One step: what runs (`body`), and what happens to slots before and after it. Slots are given by their
/// index in Plan::slots.
struct Step {
  // In step.cpp: so not every source makes them for each kind of body, which takes longer than the rest of
  // it.
  Step();
  Step(const Step&);
  Step(Step&&) noexcept;
  Step& operator=(const Step&);
  Step& operator=(Step&&) noexcept;
  ~Step();

  std::variant<FusedLoop, FoldBlocks, FoldFinish, Gather, Scatter, Matmul, Take, PartitionUpdates,
               ApplyUpdates, PutOwn, CountFlags, TakeAtFlags, PutAtFlags, Find, Collect, ScanTotals, Scan,
               SortLines, SortRuns, MergeRuns, CollectPlaces, Count, AddCounts, FourierLines, Draw, Routine,
               WholeMatrices, SpreadBlocks, BlockedMatrix, CollectBlocks, WeightedCount, AddWeightedCounts,
               Search, Interpolate, ArgLines, MatmulChunks, AddChunks, MirrorTiles, PackBits, FoldSegments,
               ReadFile, ReadHdf5, ReadZarr, WriteFile, ReadPieces, TendPieces, RowChain, Wavefront>
      body;
  std::vector<int> allocates;  ///< slots that are allocated before the step
  std::vector<int> binds;      ///< slots that become their array's current version after it
  struct HandOver {
    int slot;
    ArrayId to;
  };
  std::vector<HandOver>
      hands_over;             ///< slots that another array owns after it: a copy that needed no copying
  std::vector<int> releases;  ///< slots that are used here for the last time
  int command = -1;           ///< the last batch command it completes, for error messages
  std::vector<int> commands;  ///< every command it completes
  std::vector<distribution::RemoteRead>
      remote_reads;  ///< what it reads of other ranks' blocks, as far as the plan knows; several nodes only
  int prefix =
      -1;  ///< a run may end before this step: then exactly so many commands have happened; -1: it may not
};

/// A plan: its slots, and its steps in the order in which they run.
struct Plan {
  std::vector<Slot> slots;
  std::vector<Step> steps;
};

/// A slot that a step reads or writes, and how.
struct Use {
  int slot;
  bool is_written, may_be_remote;
};
/// The uses of a step of any kind.
std::vector<Use> uses_of(const Step& step);
/// True when every rank must run the step at the same time. Then no rank runs it after one has failed.
inline bool is_collective(const Step& step) {
  return std::holds_alternative<Routine>(step.body) || std::holds_alternative<BlockedMatrix>(step.body) ||
         std::holds_alternative<ReadPieces>(step.body) || std::holds_alternative<TendPieces>(step.body);
}
/// True for the second step of a wavefront, which ends what the first one has begun.
inline bool is_at_borders(const Step& step) {
  const auto* wavefront = std::get_if<Wavefront>(&step.body);
  return wavefront != nullptr && wavefront->is_at_borders;
}
/// Slots that a step reads or writes.
std::vector<int> slots_of(const Step& step);
/// Readable text: one line per slot and step, programs indented.
std::string dump(const Plan& plan);

}  // namespace gamelan::engine::plan
