// SPDX-License-Identifier: BSD-3-Clause
// Finds what each step reads of other ranks' blocks, as far as this follows from the plan and not from data.
// Where nodes share no memory, it is sent before the step (engine/distribution/exchange.hpp). What depends on
// data, the steps request themselves.
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

using distribution::RemoteRead;

const Layout& everybody() {
  static const Layout replicated = [] {
    Layout layout;
    layout.is_replicated = true;
    return layout;
  }();
  return replicated;
}

/// Shares of a row that steps go through side by side, whatever its layout is.
Layout even_shares(std::int64_t count, std::int64_t share, int ranks) {
  Layout shares;
  shares.axes = {{.extent = count, .template_extent = share * ranks, .unit = share, .parts = ranks}};
  shares.grid_size = ranks;
  return shares;
}

class Finder {
 public:
  Finder(const Plan& plan, std::vector<RemoteRead>& found) : plan_(plan), found_(found) {}

  void operator()(const FusedLoop& fused) {
    add_operands(fused, [&](const Operand& operand) {
      return distribution::aligned_read(operand.slot, operand.placement, fused.iterations);
    });
    if (fused.interior) (*this)(*fused.interior);
  }

  void operator()(const FoldBlocks& fold) {
    const auto by_blocks = [&](const Operand& operand, const Shape& first) {
      RemoteRead remote_read{operand.slot, operand.placement, fold.values.iterations, {}};
      for (std::size_t k = 0; k < fold.block_extents.size(); ++k)
        remote_read.axes.push_back(
            {static_cast<int>(k), fold.block_extents[k], first.empty() ? 0 : first[k], 1});
      return remote_read;
    };
    add_operands(fold.values, [&](const Operand& operand) { return by_blocks(operand, {}); });
    if (const auto& interior = fold.values.interior)
      add_operands(*interior,
                   [&](const Operand& operand) { return by_blocks(operand, fold.values.interior_first); });
  }

  void operator()(const FoldFinish& fold) {
    if (fold.is_empty) return;
    RemoteRead remote_read{fold.input.slot, fold.input.placement, fold.iterations, {}};
    for (std::size_t k = 0; k < fold.input.placement.iterations.axes.size(); ++k)
      remote_read.axes.push_back({k < fold.kept_axes ? static_cast<int>(k) : -1, 1, 0, 1});
    add(std::move(remote_read));
  }

  void operator()(const RowChain& chain) {
    is_in_chain_ = true;
    for (const auto& part : chain.parts) {
      if (const auto* loop = std::get_if<FusedLoop>(&part)) (*this)(*loop);
      if (const auto* fold = std::get_if<FoldBlocks>(&part)) (*this)(*fold);
    }
    is_in_chain_ = false;
  }

  void operator()(const Wavefront&) {}  // there is none on several nodes

  void operator()(const Matmul& matmul) {
    const auto& readers = plan_.slots[static_cast<std::size_t>(matmul.out)].info.layout;
    const auto dims = matmul.extents.size();
    // A tile of the result that two ranks share is computed by both.
    for (const bool is_left : {true, false}) {
      const auto& operand = is_left ? matmul.left : matmul.right;
      RemoteRead remote_read{operand.slot, operand.placement, readers, {}};
      for (std::size_t k = 0; k + 2 < dims; ++k) remote_read.axes.push_back({static_cast<int>(k), 1, 0, 1});
      const RemoteRead::Axis own{static_cast<int>(is_left ? dims - 2 : dims - 1), 1, 0,
                                 is_left ? matmul_tile_rows : matmul_tile_columns};
      remote_read.axes.push_back(is_left ? own : RemoteRead::Axis{});
      remote_read.axes.push_back(is_left ? RemoteRead::Axis{} : own);
      add(std::move(remote_read));
    }
  }

  /// All of the transposed block: tiles that are not mirrored come along, because a remote read is one box.
  void operator()(const MirrorTiles& mirror) {
    const RemoteRead::Axis rows{0, 1, 0, 1}, columns{1, 1, 0, 1};
    add({mirror.out, mirror.mirrored.placement, layout_of(mirror.out), {rows, columns}});
  }
  void operator()(const MatmulChunks& chunks) {
    const auto shares = even_shares(chunks.product.inner, chunks.length * chunks.per_rank,
                                    layout_of(chunks.tables).axes[0].parts);
    const RemoteRead::Axis inner{0, 1, 0, 1}, all;
    const auto &left = chunks.product.left, &right = chunks.product.right;
    add({left.slot, left.placement, shares, {all, inner}});
    add({right.slot, right.placement, shares, {inner, all}});
  }
  void operator()(const AddChunks& add_chunks) {
    const auto& chunks = add_chunks.chunks;
    const auto elements = protocol::element_count(chunks.product.extents);
    add_tables(chunks.tables, chunks.per_rank, elements, everybody(), {});
  }

  void operator()(const Take& take) {
    RemoteRead index{
        take.index.slot, take.index.placement, layout_of(take.out), {{static_cast<int>(take.axis), 1, 0, 1}}};
    add(std::move(index));
  }

  void operator()(const PartitionUpdates& partition) {
    if (partition.count == 0) return;
    const Layout shares =
        even_shares(partition.count, partition.share, layout_of(partition.pairs).axes[0].parts);
    const auto along_first_axis = [&](const Operand& operand) {  // further axes have one element
      RemoteRead remote_read{operand.slot, operand.placement, shares,
                             std::vector<RemoteRead::Axis>(operand.placement.iterations.axes.size())};
      remote_read.axes[0].reader = 0;
      return remote_read;
    };
    add(along_first_axis(partition.index));
    if (!partition.number && !partition.carries_rows) add(along_first_axis(partition.values));
  }

  // There are none of these on several nodes.
  void operator()(const PutOwn&) {}
  void operator()(const CountFlags&) {}
  void operator()(const TakeAtFlags&) {}

  /// On several nodes all rows get the same values.
  void operator()(const PutAtFlags& put) {
    const auto& rows = put.target.placement.iterations;
    add({put.flags.slot, put.flags.placement, rows, {{0, 1, 0, 1}}});
    if (put.number) return;
    RemoteRead values{put.values.slot, put.values.placement, rows, {RemoteRead::Axis{}}};
    for (std::size_t k = 1; k < rows.axes.size(); ++k) values.axes.push_back({static_cast<int>(k), 1, 0, 1});
    add(std::move(values));
  }

  void operator()(const Find& find) {
    const Layout shares = even_shares(find.count, find.share, layout_of(find.lists).axes[0].parts);
    add({find.flags.slot, find.flags.placement, shares, {{0, 1, 0, 1}}});
    if (find.values) add({find.values->slot, find.values->placement, shares, {{0, 1, 0, 1}}});
  }
  void operator()(const Collect& collect) {
    add({collect.lengths.slot, collect.lengths.placement, everybody(), {RemoteRead::Axis{}}});
  }

  void operator()(const ScanTotals& totals) { add(aligned(totals.scan.input, totals.layout)); }
  void operator()(const Scan& scan) {
    add(aligned(scan.input, layout_of(scan.out)));
    if (scan.totals.slot >= 0)
      add({scan.totals.slot, scan.totals.placement, layout_of(scan.out), {RemoteRead::Axis{}}});
  }
  void operator()(const SortLines& sort) { add(aligned(sort.input, layout_of(sort.out))); }
  void operator()(const SortRuns& sort) { add(aligned(sort.input, sort.layout)); }
  void operator()(const FourierLines& lines) {
    auto remote_read = aligned(lines.input, layout_of(lines.out));
    remote_read.axes[lines.axis] = {};  // whole lines, which may be shorter than those of the result
    add(std::move(remote_read));
  }
  void operator()(const ArgLines& lines) {
    auto remote_read = aligned(lines.input, layout_of(lines.out));
    remote_read.axes[lines.axis] =
        lines.piece > 0 ? RemoteRead::Axis{0, lines.piece, 0, 1} : RemoteRead::Axis{};
    add(std::move(remote_read));
  }
  void operator()(const PackBits& pack) {
    if (pack.packs)
      add({pack.input.slot, pack.input.placement, layout_of(pack.out), {{0, 8, 0, 1}}});
    else
      add({pack.input.slot,
           pack.input.placement,
           everybody(),
           {RemoteRead::Axis{}}});  // an eighth of the result
  }
  void operator()(const FoldSegments& fold) {
    for (const auto* operand : {&fold.values, &fold.starts})
      add({operand->slot, operand->placement, everybody(), {RemoteRead::Axis{}}});
  }
  void operator()(const Draw& draw) {
    for (const auto& parameter : draw.parameters)
      if (parameter.operand) add(aligned(*parameter.operand, layout_of(draw.out)));
  }
  void operator()(const Count& count) {
    if (count.edges) add({count.edges->slot, count.edges->placement, everybody(), {RemoteRead::Axis{}}});
  }

  void operator()(const WholeMatrices& linalg) {
    for (const auto* operand : {&linalg.a, &linalg.b}) {
      if (operand->slot < 0) continue;
      RemoteRead remote_read{operand->slot, operand->placement, layout_of(linalg.out), {}};
      const auto dims = operand->placement.iterations.axes.size();
      for (std::size_t k = 0; k + 2 < dims; ++k) remote_read.axes.push_back({static_cast<int>(k), 1, 0, 1});
      remote_read.axes.resize(dims);
      add(std::move(remote_read));
    }
  }

  void operator()(const WriteFile& file) { add(aligned(file.input, file.shares)); }
  void operator()(const AddCounts& add_counts) {
    const auto& slot = plan_.slots[static_cast<std::size_t>(add_counts.counts)].info;
    add_tables(add_counts.counts, 1, slot.extents[0] / add_counts.ranks, layout_of(add_counts.out));
  }

  void operator()(const WeightedCount& weighted) {
    if (weighted.count == 0) return;
    const auto shares = even_shares(weighted.count, weighted.length * weighted.per_rank,
                                    layout_of(weighted.tables).axes[0].parts);
    add(aligned(weighted.numbers, shares));
    add(aligned(weighted.weights, shares));
  }

  void operator()(const AddWeightedCounts& add_weighted) {
    const auto& weighted = add_weighted.weighted;
    add_tables(weighted.tables, weighted.per_rank, weighted.bins, layout_of(add_weighted.out));
  }

  void operator()(const Search& search) {
    add({search.table.slot, search.table.placement, everybody(), {RemoteRead::Axis{}}});
    add(aligned(search.values, layout_of(search.out)));
  }

  void operator()(const Interpolate& lines) {
    for (const auto* row : {&lines.points, &lines.heights})
      add({row->slot, row->placement, everybody(), {RemoteRead::Axis{}}});
    add(aligned(lines.values, layout_of(lines.out)));
  }

  void operator()(const Scatter& scatter) {
    if (!scatter.to_replica) return;
    const auto& info = plan_.slots[static_cast<std::size_t>(scatter.from)].info;
    const auto view = protocol::whole(1, info.dtype, info.extents);
    const auto placement =
        distribution::place(info.layout, *distribution::box_of_base(view, info.extents, info.dtype),
                            view.extents, protocol::size_of(info.dtype));
    add({scatter.from, placement, everybody(), std::vector<RemoteRead::Axis>(info.extents.size())});
  }

  // Gather, most of Scatter, ApplyUpdates, MergeRuns, the lists of Collect: data say, or addresses.
  template <class Other>
  void operator()(const Other&) {}

 private:
  const Layout& layout_of(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info.layout; }
  /// The tables of the ranks, one after another, as a matrix with `per_rank` rows for each. The owner of a
  /// bin reads its column.
  void add_tables(int tables, std::int64_t per_rank, std::int64_t bins, const Layout& owners,
                  const RemoteRead::Axis& bin = {0, 1, 0, 1}) {
    const int ranks = layout_of(tables).axes[0].parts;
    const auto rows = per_rank * ranks;
    const auto dtype = plan_.slots[static_cast<std::size_t>(tables)].info.dtype;
    Layout matrix;
    matrix.axes = {{.extent = rows, .template_extent = rows, .unit = per_rank, .parts = ranks},
                   {.extent = bins, .template_extent = bins}};
    matrix.grid_size = ranks;
    const auto view = protocol::whole(1, dtype, {rows, bins});
    const auto placement = distribution::place(matrix, *distribution::box_of_base(view, {rows, bins}, dtype),
                                               view.extents, protocol::size_of(dtype));
    add({tables, placement, owners, {RemoteRead::Axis{}, bin}});
  }

  static RemoteRead aligned(const Operand& operand, const Layout& readers) {
    return distribution::aligned_read(operand.slot, operand.placement, readers);
  }

  template <class Make>
  void add_operands(const FusedLoop& fused, Make make) {
    for (const auto& operand : fused.operands)
      if (operand.source == Operand::Source::slot && !operand.is_written && operand.may_be_remote &&
          (!is_in_chain_ || is_for_all_rows(operand)))
        add(make(operand));
  }
  void add(RemoteRead remote_read) {
    if (!remote_read.placement.base.is_replicated) found_.push_back(std::move(remote_read));
  }

  const Plan& plan_;
  std::vector<RemoteRead>& found_;
  bool is_in_chain_ = false;
};

}  // namespace

void find_remote_reads(Plan& plan) {
  for (auto& step : plan.steps) {
    step.remote_reads.clear();
    std::visit(Finder(plan, step.remote_reads), step.body);
  }
}

}  // namespace gamelan::engine::plan
