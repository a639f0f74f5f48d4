// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/scale/simulated_rank.hpp"

#include <algorithm>

#include "engine/steps/folds/fold_regions.hpp"

namespace gamelan::tests {
namespace {

using namespace engine::plan;
namespace distribution = engine::distribution;
using engine::distribution::Box;
using engine::distribution::Interval;
using engine::distribution::Piece;
using engine::distribution::Placement;

Box box_of(const Layout& layout, int rank) {
  return layout.takes_part(rank) ? layout.box(rank) : Box(layout.axes.size());
}

/// Walks over the steps as `rank`.
class Walk {
 public:
  Walk(const Plan& plan, int rank) : plan_(plan), rank_(rank) {}

  void run() {
    for (const auto& step : plan_.steps) std::visit(*this, step.body);
  }
  const Part& part() const { return part_; }

  void operator()(const FusedLoop& fused) {
    for (const auto& carry : fused.carries) look_at_block(carry.from);
    const Box mine = box_of(fused.iterations, rank_);
    if (!fused.interior) return cells(fused, mine);
    const Box inner = box_of(fused.interior->iterations, rank_);
    cells(*fused.interior, inner);
    distribution::for_each_slab(mine, distribution::moved(inner, fused.interior_first),
                                [&](const Box& slab) { cells(fused, slab); });
  }

  void operator()(const FoldBlocks& fold) {
    if (protocol::element_count(fold.extents) == 0) return;
    const engine::steps::FoldRegions regions(fold, rank_, 131'072);
    Box interior;
    if (fold.values.interior)
      for (const auto extent : fold.values.interior->iterations.extents()) interior.push_back({0, extent});
    for (std::int64_t number = 0; number < regions.count(); ++number) {
      Box region = regions.region(number);
      for (std::size_t k = 0; k < region.size(); ++k)
        region[k] = {region[k].first * fold.block_extents[k],
                     std::min(region[k].last * fold.block_extents[k], fold.extents[k])};
      if (!fold.values.interior) {
        cells(fold.values, region);
        continue;
      }
      Shape back;
      for (const auto first : fold.values.interior_first) back.push_back(-first);
      const Box hole = distribution::moved(interior, fold.values.interior_first);
      cells(*fold.values.interior, distribution::moved(distribution::intersection(region, hole), back));
      distribution::for_each_slab(region, hole, [&](const Box& slab) { cells(fold.values, slab); });
    }
  }

  void operator()(const RowChain& chain) {
    for (const auto& part : chain.parts) std::visit(*this, part);
  }

  /// All rows of the parts; those at borders count for the rank in whose block they lie.
  void operator()(const Wavefront& wavefront) {
    if (wavefront.is_at_borders) return;
    for (const auto& part : *wavefront.parts) std::visit(*this, part.pass);
  }

  void operator()(const FoldFinish& fold) {
    Box box = box_of(fold.iterations, rank_);
    if (distribution::is_empty(box) || fold.is_empty) return;
    const Shape all = fold.input.placement.iterations.extents();
    for (std::size_t k = box.size(); k < all.size(); ++k) box.push_back({0, all[k]});
    cells(fold.input, box);
  }

  void operator()(const Gather& gather) { look_at_block(gather.to); }
  void operator()(const Scatter& scatter) { look_at_block(scatter.from); }

  /// Of one panel of the inner axis: the others ask the same.
  void operator()(const Matmul& matmul) {
    const auto& layout = info(matmul.out).layout;
    const Box mine = box_of(layout, rank_);
    if (distribution::is_empty(mine)) return;
    const Interval panel{0, std::min<std::int64_t>(256, matmul.inner)};
    cells(matmul.left, {mine[0], panel});
    cells(matmul.right, {panel, mine[1]});
  }

  void operator()(const Take& take) {
    const Box mine = look_at_block(take.out);
    if (!distribution::is_empty(mine)) row(take.index, mine[take.axis]);
  }
  void operator()(const PartitionUpdates& partition) {
    const Interval share{std::min(partition.count, partition.share * rank_),
                         std::min(partition.count, partition.share * (rank_ + 1))};
    row(partition.index, share);
    if (!partition.number && !partition.carries_rows) row(partition.values, share);
  }
  void operator()(const ApplyUpdates& updates) { look_at(updates.target); }
  void operator()(const PutOwn& put) {
    row(put.index, {0, put.count});
    if (!put.number) row(put.values, {0, put.count});
    look_at(put.target);
  }
  void operator()(const CountFlags& count) {
    const auto share = count.counts_per_rank * CountFlags::flags_per_count;
    row(count.flags, {std::min(count.count, share * rank_), std::min(count.count, share * (rank_ + 1))});
  }
  void operator()(const TakeAtFlags& take) {
    look_at_block(take.out);
    row(take.flags, {0, take.flags.placement.iterations.axes[0].extent});
  }
  void operator()(const PutAtFlags& put) {
    const Box mine = box_of(put.target.placement.iterations, rank_);
    row(put.flags, mine[0]);
    if (!put.number && !distribution::is_empty(mine)) {
      Box values = mine;
      values[0] = {0, put.values.placement.iterations.axes[0].extent};
      cells(put.values, values);
    }
    look_at(put.target);
  }
  void operator()(const Find& find) {
    const Interval share{std::min(find.count, find.share * rank_),
                         std::min(find.count, find.share * (rank_ + 1))};
    row(find.flags, share);
    if (find.values) row(*find.values, share);
  }
  void operator()(const Collect& collect) { look_at_block(collect.out); }
  void operator()(const ScanTotals& totals) { row(totals.scan.input, box_of(totals.layout, rank_)[0]); }
  void operator()(const Scan& scan) {
    const Box mine = look_at_block(scan.out);
    if (distribution::is_empty(mine)) return;
    if (scan.block_length > 0)
      row(scan.input, mine[0]);
    else
      cells(scan.input, mine);
  }
  void operator()(const SortLines& sort) { cells(sort.input, look_at_block(sort.out)); }
  void operator()(const SortRuns& sort) { row(sort.input, box_of(sort.layout, rank_)[0]); }
  void operator()(const MergeRuns& merge) { look_at_block(merge.out); }
  void operator()(const CollectPlaces& collect) { look_at_block(collect.out); }
  void operator()(const Count& count) { look_at(count.input); }
  void operator()(const AddCounts& add) { look_at_block(add.out); }
  void operator()(const FourierLines& lines) {
    Box box = look_at_block(lines.out);
    box[lines.axis] = {0, lines.input.placement.iterations.axes[lines.axis].extent};
    cells(lines.input, box);
  }
  void operator()(const Draw& draw) {
    const Box mine = look_at_block(draw.out);
    for (const auto& parameter : draw.parameters)
      if (parameter.operand) cells(*parameter.operand, mine);
  }
  void operator()(const WeightedCount& weighted) {
    const auto share = weighted.length * weighted.per_rank;
    const Interval mine{std::min(weighted.count, share * rank_),
                        std::min(weighted.count, share * (rank_ + 1))};
    row(weighted.numbers, mine);
    row(weighted.weights, mine);
  }
  void operator()(const AddWeightedCounts& add) { look_at_block(add.out); }
  void operator()(const Search& search) { row(search.values, look_at_block(search.out)[0]); }
  void operator()(const Interpolate& lines) { row(lines.values, look_at_block(lines.out)[0]); }
  void operator()(const MatmulChunks& chunks) { look_at_block(chunks.tables); }
  void operator()(const AddChunks& add) { look_at_block(add.out); }
  void operator()(const MirrorTiles& mirror) { cells(mirror.mirrored, look_at_block(mirror.out)); }
  void operator()(const ArgLines& lines) {
    Box box = look_at_block(lines.out);
    if (lines.piece == 0) box[lines.axis] = {0, lines.input.placement.iterations.axes[lines.axis].extent};
    if (lines.piece == 0) cells(lines.input, box);
  }
  void operator()(const PackBits& pack) { look_at_block(pack.out); }
  void operator()(const FoldSegments& fold) { row(fold.starts, look_at_block(fold.out)[0]); }
  void operator()(const WholeMatrices& linalg) { look_at_block(linalg.out); }
  void operator()(const SpreadBlocks& spread) { look_at_block(spread.to); }
  void operator()(const BlockedMatrix& linalg) { look_at_block(linalg.a); }
  void operator()(const CollectBlocks& collect) { look_at_block(collect.out); }
  void operator()(const Routine& routine) {
    for (const int slot : routine.slots) look_at_block(slot);
  }
  void operator()(const ReadFile& file) { look_at_block(file.out); }
  void operator()(const ReadHdf5& dataset) { look_at_block(dataset.out); }
  void operator()(const ReadZarr& dataset) { look_at_block(dataset.out); }
  void operator()(const ReadPieces& pieces) { look_at_block(pieces.out); }
  void operator()(const TendPieces& pieces) { look_at_block(pieces.out); }
  void operator()(const WriteFile& file) { cells(file.input, box_of(file.shares, rank_)); }

 private:
  const ArrayInfo& info(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info; }

  Box look_at_block(int slot) {
    ++part_.cells;
    return box_of(info(slot).layout, rank_);
  }
  /// What lies here of an operand, and where.
  void look_at(const Operand& operand) {
    const Box mine = box_of(operand.placement.iterations, rank_);
    ++part_.cells;
    if (distribution::is_empty(mine)) return;
    Shape first;
    for (const auto& interval : mine) first.push_back(interval.first);
    distribution::locate(operand.placement, first, rank_);
  }
  void cells(const Box& box, std::span<const Placement* const> placements) {
    distribution::for_each_cell(box, placements, rank_, [&](const Box&, std::span<const Piece> pieces) {
      ++part_.cells;
      part_.remote +=
          std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.owner != rank_; });
    });
  }
  void cells(const FusedLoop& fused, const Box& box) {
    std::vector<const Placement*> placements;
    for (const auto& operand : fused.operands)
      if (operand.source == Operand::Source::slot) placements.push_back(&operand.placement);
    cells(box, placements);
  }
  void cells(const Operand& operand, const Box& box) {
    const Placement* placement = &operand.placement;
    cells(box, {&placement, 1});
  }
  /// Elements of a row, piece after piece, as irregular/stream reads them.
  void row(const Operand& operand, const Interval& wanted) {
    const auto& axis = operand.placement.iterations.axes[0];
    for (auto at = wanted.first; at < wanted.last;) {
      const auto piece = distribution::locate(operand.placement, {at}, rank_);
      ++part_.cells;
      part_.remote += piece.owner != rank_;
      at = std::max(at + 1, axis.interval(axis.owner(at)).last);
    }
  }

  const Plan& plan_;
  int rank_;
  Part part_;
};

}  // namespace

Part part_of(const Plan& plan, int rank) {
  Walk walk(plan, rank);
  walk.run();
  return walk.part();
}

Mail mail_of(const Plan& plan, int rank, int ranks) {
  Mail mail;
  const auto is_near = [&](int other) { return other / ranks_per_node == rank / ranks_per_node; };
  for (const auto& step : plan.steps) {
    const auto exchange = distribution::exchange_of(step.remote_reads, rank, ranks, is_near);
    mail.sends += std::ssize(exchange.sends);
    mail.receives += std::ssize(exchange.receives);
  }
  return mail;
}

}  // namespace gamelan::tests
