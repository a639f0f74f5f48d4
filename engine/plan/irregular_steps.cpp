// SPDX-License-Identifier: BSD-3-Clause
// What irregular steps touch, and what np.explain says of them: one line for each kind.
#include "engine/plan/plan.hpp"
#include "protocol/distributions.hpp"

namespace gamelan::engine::plan {
namespace {

class Uses {
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
  void operator()(const ScanTotals& totals) {
    reads(totals.scan.input);
    all.push_back({totals.totals, true, false});
  }
  void operator()(const Scan& scan) {
    reads(scan.input);
    if (scan.totals.slot >= 0) reads(scan.totals);
    all.push_back({scan.out, true, false});
  }
  void operator()(const Find& find) {
    reads(find.flags);
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
  void operator()(const ReadFile& file) { all.push_back({file.out, true, false}); }
  void operator()(const ReadHdf5& dataset) { all.push_back({dataset.out, true, false}); }
  void operator()(const ReadZarr& dataset) { all.push_back({dataset.out, true, false}); }
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

struct Describe {
  static std::string name(int slot) { return "s" + std::to_string(slot); }
  std::string operator()(const Take& take) const {
    return "take " + name(take.source.slot) + " at " + name(take.index.slot) + " along axis " +
           std::to_string(take.axis) + " to " + name(take.out);
  }
  std::string operator()(const PartitionUpdates& partition) const {
    return "partition " + (partition.number ? "a number" : name(partition.values.slot)) + " by " +
           name(partition.index.slot) + " to " + name(partition.pairs);
  }
  std::string operator()(const ApplyUpdates& updates) const {
    return "apply " + name(updates.partition.pairs) + " to " + name(updates.target.slot) +
           (updates.op ? " with " + std::string(protocol::info(*updates.op).name) : "");
  }
  std::string operator()(const Find& find) const {
    return "find what is true in " + name(find.flags.slot) + " to " + name(find.lists);
  }
  std::string operator()(const Collect& collect) const {
    return "collect " + name(collect.find.lists) + " to " + name(collect.out);
  }
  std::string operator()(const ScanTotals& totals) const {
    return "fold blocks of " + std::to_string(totals.scan.block_length) + " of " +
           name(totals.scan.input.slot) + " to " + name(totals.totals);
  }
  std::string operator()(const Scan& scan) const {
    return "scan " + name(scan.input.slot) + " with " + std::string(protocol::info(scan.op).name) +
           " along axis " + std::to_string(scan.axis) + " to " + name(scan.out);
  }
  std::string operator()(const SortLines& sort) const {
    return "sort lines of " + name(sort.input.slot) + " along axis " + std::to_string(sort.axis) + " to " +
           name(sort.out);
  }
  std::string operator()(const SortRuns& sort) const {
    return "sort runs of " + name(sort.input.slot) + " to " + name(sort.run.keys) +
           (sort.run.places < 0 ? "" : ", places to " + name(sort.run.places));
  }
  std::string operator()(const MergeRuns& merge) const {
    return "merge " + std::string(merge.cuts < 0 ? "" : "the order of ") + "runs " +
           name(merge.runs.run.keys) + " to " + name(merge.out);
  }
  std::string operator()(const CollectPlaces& collect) const {
    return "collect places " + name(collect.runs.run.places) + " to " + name(collect.out);
  }
  std::string operator()(const Count& count) const {
    return "count " + name(count.input.slot) + " in " + std::to_string(count.bins) + " bins to " +
           name(count.counts);
  }
  std::string operator()(const Routine& routine) const {
    std::string text = "call the routine of payload " + std::to_string(routine.payload) + " with";
    for (const int slot : routine.slots) text += " " + name(slot);
    return text;
  }
  std::string operator()(const AddCounts& add) const {
    return "add counts " + name(add.counts) + " to " + name(add.out);
  }
  std::string operator()(const FourierLines& lines) const {
    return "transform lines of " + name(lines.input.slot) + " along axis " + std::to_string(lines.axis) +
           " to " + name(lines.out);
  }
  std::string operator()(const Draw& draw) const {
    return "draw from " + std::string(protocol::distribution(draw.distribution).name) + " to " +
           name(draw.out);
  }
  std::string operator()(const WholeMatrices& linalg) const {
    return "linalg of whole matrices of " + name(linalg.a.slot) + " to " + name(linalg.out);
  }
  std::string operator()(const SpreadBlocks& spread) const {
    return "spread blocks of " + name(spread.source.slot) + " to " + name(spread.to);
  }
  std::string operator()(const BlockedMatrix& linalg) const {
    return "linalg of all ranks on " + name(linalg.a);
  }
  std::string operator()(const CollectBlocks& collect) const {
    return "collect blocks to " + name(collect.out);
  }
  std::string operator()(const WeightedCount& weighted) const {
    return "weighted count of " + name(weighted.weights.slot) + " by " + name(weighted.numbers.slot) +
           " in " + std::to_string(weighted.segments) + " segments of " + std::to_string(weighted.bins) +
           " bins to " + name(weighted.tables);
  }
  std::string operator()(const AddWeightedCounts& add) const {
    return "add weighted counts " + name(add.weighted.tables) + " to " + name(add.out);
  }
  std::string operator()(const Search& search) const {
    return "search " + name(search.table.slot) + " for " + name(search.values.slot) + " to " +
           name(search.out);
  }
  std::string operator()(const ReadFile& file) const {
    return "read a file from byte " + std::to_string(file.offset) + " on to " + name(file.out);
  }
  std::string operator()(const ReadHdf5& dataset) const {
    return "read an HDF5 dataset to " + name(dataset.out);
  }
  std::string operator()(const ReadZarr& dataset) const {
    return "read a Zarr array to " + name(dataset.out);
  }
  std::string operator()(const WriteFile& file) const {
    return "write " + name(file.input.slot) + " to a file from byte " + std::to_string(file.offset) + " on";
  }
  template <class Regular>
  std::string operator()(const Regular&) const {
    return {};
  }
};

}  // namespace

std::vector<Use> irregular_uses(const Step& step) {
  Uses uses;
  std::visit(uses, step.body);
  return std::move(uses.all);
}

std::string describe_irregular(const Step& step) { return std::visit(Describe(), step.body); }

}  // namespace gamelan::engine::plan
