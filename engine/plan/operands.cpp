// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/operands.hpp"

namespace gamelan::engine::plan {
namespace {

class Finder {
 public:
  std::vector<const Operand*> all;

  void operator()(const FusedLoop& fused) {
    for (const auto& operand : fused.operands)
      if (operand.source == Operand::Source::slot) add(operand);
    if (fused.interior) (*this)(*fused.interior);
  }
  void operator()(const FoldBlocks& fold) { (*this)(fold.values); }
  void operator()(const FoldFinish& fold) {
    if (!fold.is_empty) add(fold.input);
    add(fold.output);
  }
  void operator()(const RowChain& chain) {
    for (const auto& part : chain.parts) std::visit([&](const auto& each) { (*this)(each); }, part);
  }
  void operator()(const Wavefront& wavefront) {
    for (const auto& part : *wavefront.parts) std::visit([&](const auto& each) { (*this)(each); }, part.pass);
  }
  void operator()(const Matmul& matmul) { add(matmul.left, matmul.right); }
  void operator()(const MatmulChunks& chunks) { (*this)(chunks.product); }
  void operator()(const AddChunks&) {}
  void operator()(const MirrorTiles& mirror) { add(mirror.mirrored); }
  void operator()(const Take& take) { add(take.source, take.index); }
  void operator()(const PartitionUpdates& partition) {
    add(partition.index);
    if (!partition.number) add(partition.values);
  }
  void operator()(const ApplyUpdates& updates) { add(updates.target); }
  void operator()(const PutOwn& put) {
    add(put.index);
    if (!put.number) add(put.values);
    add(put.target);
  }
  void operator()(const CountFlags& count) { add(count.flags); }
  void operator()(const TakeAtFlags& take) {
    if (take.source) add(*take.source);
    add(take.flags, take.counts);
  }
  void operator()(const PutAtFlags& put) {
    if (!put.number) add(put.values);
    if (put.counts) add(*put.counts);
    add(put.flags, put.target);
  }
  void operator()(const Find& find) {
    add(find.flags);
    if (find.values) add(*find.values);
  }
  void operator()(const Collect& collect) { add(collect.lengths); }
  void operator()(const Scan& scan) { add(scan.input, scan.totals); }
  void operator()(const ScanTotals& totals) { add(totals.scan.input); }
  void operator()(const SortLines& sort) { add(sort.input); }
  void operator()(const SortRuns& sort) { add(sort.input); }
  void operator()(const Count& count) {
    add(count.input);
    if (count.edges) add(*count.edges);
  }
  void operator()(const WeightedCount& weighted) { add(weighted.numbers, weighted.weights); }
  void operator()(const Search& search) { add(search.table, search.values); }
  void operator()(const Interpolate& lines) { add(lines.points, lines.heights, lines.values); }
  void operator()(const ArgLines& lines) { add(lines.input); }
  void operator()(const PackBits& pack) { add(pack.input); }
  void operator()(const FoldSegments& fold) { add(fold.values, fold.starts); }
  void operator()(const FourierLines& lines) { add(lines.input); }
  void operator()(const Draw& draw) {
    for (const auto& parameter : draw.parameters)
      if (parameter.operand) add(*parameter.operand);
  }
  void operator()(const WholeMatrices& linalg) { add(linalg.a, linalg.b); }
  void operator()(const SpreadBlocks& spread) { add(spread.source); }
  void operator()(const WriteFile& file) { add(file.input); }
  // These name whole slots.
  void operator()(const Gather&) {}
  void operator()(const Scatter&) {}
  void operator()(const MergeRuns&) {}
  void operator()(const CollectPlaces&) {}
  void operator()(const AddCounts&) {}
  void operator()(const AddWeightedCounts&) {}
  void operator()(const Routine&) {}
  void operator()(const BlockedMatrix&) {}
  void operator()(const CollectBlocks&) {}
  void operator()(const ReadFile&) {}
  void operator()(const ReadHdf5&) {}
  void operator()(const ReadZarr&) {}
  void operator()(const ReadPieces&) {}
  void operator()(const TendPieces&) {}

 private:
  template <class... Operands>
  void add(const Operands&... operands) {
    for (const Operand* operand : {&operands...})
      if (operand->slot >= 0) all.push_back(operand);
  }
};

}  // namespace

std::vector<const Operand*> operands_of(const Step& step) {
  Finder finder;
  std::visit(finder, step.body);
  return std::move(finder.all);
}

}  // namespace gamelan::engine::plan
