// SPDX-License-Identifier: BSD-3-Clause
// The functions that run steps: one per kind of step, each in a run_*.cpp of that name (files/, linalg/ and
// irregular/ hold families). Also facts about kinds that the executor needs. The plan says which step comes
// next; the executor calls its function.
#pragma once
#include "engine/plan/plan.hpp"
#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

void run(const StepContext& context, const plan::FusedLoop& fused);
void run(const StepContext& context, const plan::FoldBlocks& fold);
void run(const StepContext& context, const plan::FoldFinish& fold);
void run(const StepContext& context, const plan::RowChain& chain);
void run(const StepContext& context, const plan::Wavefront& wavefront);
void run(const StepContext& context, const plan::Gather& gather);
void run(const StepContext& context, const plan::Scatter& scatter);
void run(const StepContext& context, const plan::Matmul& matmul);
void run(const StepContext& context, const plan::Take& take);
void run(const StepContext& context, const plan::PartitionUpdates& partition);
void run(const StepContext& context, const plan::ApplyUpdates& updates);
void run(const StepContext& context, const plan::PutOwn& put);
void run(const StepContext& context, const plan::CountFlags& count);
void run(const StepContext& context, const plan::TakeAtFlags& take);
void run(const StepContext& context, const plan::PutAtFlags& put);
void run(const StepContext& context, const plan::Find& find);
void run(const StepContext& context, const plan::Collect& collect);
void run(const StepContext& context, const plan::ScanTotals& totals);
void run(const StepContext& context, const plan::Scan& scan);
void run(const StepContext& context, const plan::SortLines& sort);
void run(const StepContext& context, const plan::SortRuns& sort);
void run(const StepContext& context, const plan::MergeRuns& merge);
void run(const StepContext& context, const plan::CollectPlaces& collect);
void run(const StepContext& context, const plan::Count& count);
void run(const StepContext& context, const plan::AddCounts& add);
/// Collective. Throws Error{value} on every rank when the routine failed on one.
void run(const StepContext& context, const plan::Routine& routine);
void run(const StepContext& context, const plan::FourierLines& lines);
void run(const StepContext& context, const plan::Draw& draw);
void run(const StepContext& context, const plan::WholeMatrices& linalg);
void run(const StepContext& context, const plan::SpreadBlocks& spread);
void run(const StepContext& context, const plan::BlockedMatrix& linalg);
void run(const StepContext& context, const plan::CollectBlocks& collect);
void run(const StepContext& context, const plan::WeightedCount& weighted);
void run(const StepContext& context, const plan::AddWeightedCounts& add);
void run(const StepContext& context, const plan::Search& search);
void run(const StepContext& context, const plan::Interpolate& lines);
void run(const StepContext& context, const plan::MatmulChunks& chunks);
void run(const StepContext& context, const plan::AddChunks& add);
void run(const StepContext& context, const plan::MirrorTiles& mirror);
void run(const StepContext& context, const plan::ArgLines& lines);
void run(const StepContext& context, const plan::PackBits& pack);
void run(const StepContext& context, const plan::FoldSegments& fold);
void run(const StepContext& context, const plan::ReadFile& file);
void run(const StepContext& context, const plan::ReadHdf5& dataset);
void run(const StepContext& context, const plan::ReadZarr& dataset);
void run(const StepContext& context, const plan::WriteFile& file);
void run(const StepContext& context, const plan::ReadPieces& pieces);
void run(const StepContext& context, const plan::TendPieces& pieces);

/// True when the values of a put are rows that are read where they lie.
inline bool reads_rows(const plan::ApplyUpdates& updates) {
  return updates.partition.carries_rows && !updates.partition.number;
}
/// The number of swaps in a MergeRuns step (run_merge.cpp).
inline constexpr int swaps_to_merge = 5;

}  // namespace gamelan::engine::steps
