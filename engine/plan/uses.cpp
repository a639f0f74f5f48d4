// SPDX-License-Identifier: BSD-3-Clause
// Which slots a step reads and writes, for every kind of step.
#include <algorithm>
#include <map>
#include <set>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {
namespace {

/// Of steps whose elements go where data say.
class IrregularUses {
 public:
  std::vector<Use> all;
  void operator()(const Take& take) {
    reads(take.source);
    reads(take.index);
    all.push_back({take.out, true, false});
  }
  void operator()(const PartitionUpdates& partition) {
    reads(partition.index);
    if (!partition.number && !partition.carries_rows) reads(partition.values);
    all.push_back({partition.counts, true, false});
    all.push_back({partition.pairs, true, false});
  }
  void operator()(const ApplyUpdates& updates) {
    all.push_back({updates.partition.counts, false, true});
    all.push_back({updates.partition.pairs, false, true});
    if (!updates.partition.number && updates.partition.carries_rows) reads(updates.partition.values);
    all.push_back({updates.target.slot, true, false});
  }
  void operator()(const PutOwn& put) {
    reads(put.index);
    if (!put.number) reads(put.values);
    all.push_back({put.target.slot, true, false});
  }
  void operator()(const ScanTotals& totals) {
    reads(totals.scan.input);
    all.push_back({totals.totals, true, false});
  }
  void operator()(const Scan& scan) {
    reads(scan.input);
    if (scan.totals.slot >= 0) reads(scan.totals);
    all.push_back({scan.out, true, false});
  }
  void operator()(const CountFlags& count) {
    reads(count.flags);
    all.push_back({count.counts, true, false});
  }
  void operator()(const TakeAtFlags& take) {
    if (take.source) reads(*take.source);
    reads(take.flags);
    reads(take.counts);
    all.push_back({take.out, true, false});
  }
  void operator()(const PutAtFlags& put) {
    reads(put.flags);
    if (!put.number) reads(put.values);
    if (put.counts) reads(*put.counts);
    all.push_back({put.target.slot, true, false});
  }
  void operator()(const Find& find) {
    reads(find.flags);
    if (find.values) reads(*find.values);
    all.push_back({find.lists, true, false});
    all.push_back({find.lengths, true, false});
  }
  void operator()(const Collect& collect) {
    all.push_back({collect.find.lists, false, true});
    reads(collect.lengths);
    all.push_back({collect.out, true, false});
  }
  void operator()(const SortLines& sort) {
    reads(sort.input);
    if (sort.values != sort.out) all.push_back({sort.values, true, false});
    writes(sort.line);
    all.push_back({sort.out, true, false});
  }
  void operator()(const SortRuns& sort) {
    reads(sort.input);
    writes(sort.run);
  }
  void operator()(const MergeRuns& merge) {
    all.push_back({merge.runs.run.keys, false, true});
    all.push_back({merge.out, true, false});
    if (merge.cuts >= 0) all.push_back({merge.cuts, true, false});
  }
  void operator()(const CollectPlaces& collect) {
    all.push_back({collect.runs.run.places, false, true});
    for (const int slot : {collect.order, collect.cuts})
      if (slot >= 0) all.push_back({slot, false, false});
    all.push_back({collect.out, true, false});
  }
  void operator()(const Count& count) {
    reads(count.input);
    if (count.edges) reads(*count.edges);
    all.push_back({count.counts, true, false});
  }
  void operator()(const AddCounts& add) {
    all.push_back({add.counts, false, true});
    all.push_back({add.out, true, false});
  }
  void operator()(const Routine& routine) {
    for (std::size_t k = 0; k < routine.slots.size(); ++k)
      all.push_back({routine.slots[k], static_cast<int>(k) < routine.writes, true});
  }
  void operator()(const FourierLines& lines) {
    reads(lines.input);
    all.push_back({lines.out, true, false});
  }
  void operator()(const Draw& draw) {
    for (const auto& parameter : draw.parameters)
      if (parameter.operand) reads(*parameter.operand);
    all.push_back({draw.out, true, false});
  }
  void operator()(const WholeMatrices& linalg) {
    reads(linalg.a);
    if (linalg.b.slot >= 0) reads(linalg.b);
    all.push_back({linalg.work, true, false});
    all.push_back({linalg.out, true, false});
  }
  void operator()(const SpreadBlocks& spread) {
    reads(spread.source);
    all.push_back({spread.to, true, false});
  }
  void operator()(const BlockedMatrix& linalg) {
    for (const int slot : {linalg.a, linalg.b, linalg.made})
      if (slot >= 0) all.push_back({slot, true, false});
  }
  void operator()(const CollectBlocks& collect) {
    for (const auto& result : collect.results) all.push_back({result.slot, false, true});
    all.push_back({collect.out, true, false});
  }
  void operator()(const WeightedCount& weighted) {
    reads(weighted.numbers);
    reads(weighted.weights);
    all.push_back({weighted.tables, true, false});
  }
  void operator()(const AddWeightedCounts& add) {
    all.push_back({add.weighted.tables, false, true});
    all.push_back({add.out, true, false});
  }
  void operator()(const Search& search) {
    reads(search.table);
    reads(search.values);
    all.push_back({search.out, true, false});
  }
  void operator()(const Interpolate& lines) {
    reads(lines.points);
    reads(lines.heights);
    reads(lines.values);
    all.push_back({lines.out, true, false});
  }
  void operator()(const MatmulChunks& chunks) {
    all.push_back({chunks.product.left.slot, false, true});
    all.push_back({chunks.product.right.slot, false, true});
    all.push_back({chunks.tables, true, false});
  }
  void operator()(const AddChunks& add) {
    all.push_back({add.chunks.tables, false, true});
    all.push_back({add.out, true, false});
  }
  void operator()(const MirrorTiles& mirror) {
    all.push_back({mirror.out, true, false});
    all.push_back({mirror.out, false, true});  // of other ranks; nobody reads what is written
  }
  void operator()(const ArgLines& lines) {
    reads(lines.input);
    all.push_back({lines.out, true, false});
  }
  void operator()(const PackBits& pack) {
    reads(pack.input);
    all.push_back({pack.out, true, false});
  }
  void operator()(const FoldSegments& fold) {
    reads(fold.values);
    reads(fold.starts);
    all.push_back({fold.out, true, false});
  }
  void operator()(const ReadFile& file) { all.push_back({file.out, true, false}); }
  void operator()(const ReadHdf5& dataset) { all.push_back({dataset.out, true, false}); }
  void operator()(const ReadZarr& dataset) { all.push_back({dataset.out, true, false}); }
  void operator()(const ReadPieces& pieces) { all.push_back({pieces.out, true, false}); }
  void operator()(const TendPieces& pieces) { all.push_back({pieces.out, true, false}); }
  void operator()(const WriteFile& file) {
    reads(file.input);
    all.push_back({file.out, true, false});
  }
  template <class Regular>
  void operator()(const Regular&) {}

 private:
  void writes(const RunMemory& run) {
    for (const int slot : {run.keys, run.places, run.spare})
      if (slot >= 0) all.push_back({slot, true, false});
  }
  void reads(const Operand& operand) { all.push_back({operand.slot, false, operand.may_be_remote}); }
};

/// Of the others.
class RegularUses {
 public:
  std::vector<Use> all;
  void operator()(const FusedLoop& fused) {
    for (const auto& carry : fused.carries) {
      all.push_back({carry.from, false, false});
      all.push_back({carry.to, true, false});
    }
    for (const auto& operand : fused.operands)
      if (operand.source == Operand::Source::slot)
        all.push_back({operand.slot, operand.is_written, operand.may_be_remote});
    if (fused.interior) (*this)(*fused.interior);
  }
  void operator()(const FoldBlocks& fold) {
    (*this)(fold.values);
    for (const auto& each : fold.folds) all.push_back({each.partials, true, false});
  }
  void operator()(const FoldFinish& fold) {
    all.push_back({fold.partials, false, true});
    all.push_back({fold.output.slot, true, false});
  }
  /// What a part reads of an earlier part's is no use of the step: nobody else has to wait for it. Of other
  /// ranks' blocks it reads what is for all rows.
  void operator()(const RowChain& chain) {
    RegularUses parts;
    IrregularUses searches;
    for (const auto& part : chain.parts) {
      std::visit(parts, part);
      std::visit(searches, part);
    }
    parts.all.insert(parts.all.end(), searches.all.begin(), searches.all.end());
    std::set<int> remote;
    const auto note_remote = [&](const FusedLoop& loop) {
      for (const auto& operand : loop.operands)
        if (operand.source == Operand::Source::slot && operand.may_be_remote && is_for_all_rows(operand))
          remote.insert(operand.slot);
    };
    for (const auto& part : chain.parts) {
      if (const auto* loop = std::get_if<FusedLoop>(&part)) note_remote(*loop);
      if (const auto* fold = std::get_if<FoldBlocks>(&part)) note_remote(fold->values);
    }
    std::set<int> made;
    for (const auto& use : parts.all)
      if (use.is_written) made.insert(use.slot);
    for (const auto& use : parts.all)
      if (use.is_written || !made.contains(use.slot))
        all.push_back({use.slot, use.is_written, remote.contains(use.slot)});
  }
  /// Each slot once: it is written if any part writes it.
  void operator()(const Wavefront& wavefront) {
    RegularUses parts;
    for (const auto& part : *wavefront.parts) std::visit(parts, part.pass);
    std::map<int, Use> slots;
    for (const auto& use : parts.all) {
      auto& merged = slots.try_emplace(use.slot, use).first->second;
      merged.is_written |= use.is_written;
      merged.may_be_remote |= use.may_be_remote;
    }
    for (const auto& [slot, use] : slots) all.push_back(use);
  }
  void operator()(const Gather& gather) {
    all.push_back({gather.from, false, true});
    all.push_back({gather.to, true, false});
  }
  void operator()(const Scatter& scatter) {
    all.push_back({scatter.from, false, true});
    all.push_back({scatter.to, true, true});
  }
  void operator()(const Matmul& matmul) {
    all.push_back({matmul.left.slot, false, true});
    all.push_back({matmul.right.slot, false, true});
    all.push_back({matmul.out, true, false});
  }
  template <class Irregular>
  void operator()(const Irregular&) {}
};

}  // namespace

std::vector<Use> uses_of(const Step& step) {
  RegularUses uses;
  std::visit(uses, step.body);
  IrregularUses others;
  std::visit(others, step.body);
  uses.all.insert(uses.all.end(), others.all.begin(), others.all.end());
  return std::move(uses.all);
}

std::vector<int> slots_of(const Step& step) {
  std::vector<int> slots = step.allocates;
  for (const auto& use : uses_of(step)) slots.push_back(use.slot);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

}  // namespace gamelan::engine::plan
