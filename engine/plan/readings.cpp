// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/readings.hpp"

namespace gamelan::engine::plan {
namespace {

using dist::Reading;

const Layout& everybody() {
  static const Layout replicated = [] {
    Layout layout;
    layout.is_replicated = true;
    return layout;
  }();
  return replicated;
}

class Finder {
 public:
  Finder(const Plan& plan, std::vector<Reading>& found) : plan_(plan), found_(found) {}

  void operator()(const Kernel& kernel) {
    add_operands(kernel, [&](const Operand& operand) { return dist::aligned_reading(operand.slot, operand.placement, kernel.iterations); });
    if (kernel.inset) (*this)(*kernel.inset);
  }

  void operator()(const FoldBricks& fold) {
    const auto by_bricks = [&](const Operand& operand, const Shape& first) {
      Reading reading{operand.slot, operand.placement, fold.values.iterations, {}};
      for (std::size_t k = 0; k < fold.brick.size(); ++k)
        reading.axes.push_back({static_cast<int>(k), fold.brick[k], first.empty() ? 0 : first[k], 1});
      return reading;
    };
    add_operands(fold.values, [&](const Operand& operand) { return by_bricks(operand, {}); });
    if (const auto& inset = fold.values.inset)
      add_operands(*inset, [&](const Operand& operand) { return by_bricks(operand, fold.values.inset_first); });
  }

  void operator()(const FoldFinish& fold) {
    if (fold.is_empty) return;
    Reading reading{fold.input.slot, fold.input.placement, fold.iterations, {}};
    for (std::size_t k = 0; k < fold.input.placement.iterations.axes.size(); ++k)
      reading.axes.push_back({k < fold.kept_axes ? static_cast<int>(k) : -1, 1, 0, 1});
    add(std::move(reading));
  }

  void operator()(const Matmul& matmul) {
    const auto& readers = plan_.slots[static_cast<std::size_t>(matmul.out)].info.layout;
    const auto dims = matmul.extents.size();
    // A tile of the result that two ranks share is computed by both.
    for (const bool is_left : {true, false}) {
      const auto& operand = is_left ? matmul.left : matmul.right;
      Reading reading{operand.slot, operand.placement, readers, {}};
      for (std::size_t k = 0; k + 2 < dims; ++k) reading.axes.push_back({static_cast<int>(k), 1, 0, 1});
      const Reading::Axis own{static_cast<int>(is_left ? dims - 2 : dims - 1), 1, 0, is_left ? matmul_tile_rows : matmul_tile_columns};
      reading.axes.push_back(is_left ? own : Reading::Axis{});
      reading.axes.push_back(is_left ? Reading::Axis{} : own);
      add(std::move(reading));
    }
  }

  void operator()(const Take& take) {
    Reading index{take.index.slot, take.index.placement, layout_of(take.out), {{static_cast<int>(take.axis), 1, 0, 1}}};
    add(std::move(index));
  }

  void operator()(const Route& route) {
    // Shares of the index, whatever the layout of the target.
    Layout shares;
    const auto ranks = layout_of(route.pairs).axes[0].parts;
    shares.axes = {{.extent = route.count, .template_extent = route.share * ranks, .unit = route.share, .parts = ranks}};
    shares.grid_size = ranks;
    if (route.count == 0) return;
    const auto along_first_axis = [&](const Operand& operand) {  // further axes have one element
      Reading reading{operand.slot, operand.placement, shares, std::vector<Reading::Axis>(operand.placement.iterations.axes.size())};
      reading.axes[0].reader = 0;
      return reading;
    };
    add(along_first_axis(route.index));
    if (!route.number && !route.carries_rows) add(along_first_axis(route.values));
  }

  void operator()(const ScanTotals& totals) { add(aligned(totals.scan.input, totals.layout)); }
  void operator()(const Scan& scan) {
    add(aligned(scan.input, layout_of(scan.out)));
    if (scan.totals.slot >= 0) add({scan.totals.slot, scan.totals.placement, layout_of(scan.out), {Reading::Axis{}}});
  }
  void operator()(const SortLines& sort) { add(aligned(sort.input, layout_of(sort.out))); }
  void operator()(const SortRuns& sort) { add(aligned(sort.input, sort.layout)); }
  void operator()(const Count& count) {
    if (count.edges) add({count.edges->slot, count.edges->placement, everybody(), {Reading::Axis{}}});
  }

  void operator()(const WriteFile& file) { add(aligned(file.input, file.shares)); }
  void operator()(const AddCounts& add_counts) {
    // The tables of the ranks, one after another, as a matrix of a row each.
    const auto& slot = plan_.slots[static_cast<std::size_t>(add_counts.counts)].info;
    const std::int64_t bins = slot.extents[0] / add_counts.ranks;
    Layout tables;
    tables.axes = {{.extent = add_counts.ranks, .template_extent = add_counts.ranks, .parts = add_counts.ranks},
                   {.extent = bins, .template_extent = bins}};
    tables.grid_size = add_counts.ranks;
    const auto view = protocol::whole(slot.extents.empty() ? 0 : 1, slot.dtype, {add_counts.ranks, bins});
    const auto placement = dist::place(tables, *dist::box_of_base(view, {add_counts.ranks, bins}, slot.dtype), view.extents, protocol::size_of(slot.dtype));
    add({add_counts.counts, placement, layout_of(add_counts.out), {Reading::Axis{}, {0, 1, 0, 1}}});
  }

  void operator()(const Scatter& scatter) {
    if (!scatter.to_replica) return;
    const auto& info = plan_.slots[static_cast<std::size_t>(scatter.from)].info;
    const auto view = protocol::whole(1, info.dtype, info.extents);
    const auto placement = dist::place(info.layout, *dist::box_of_base(view, info.extents, info.dtype), view.extents, protocol::size_of(info.dtype));
    add({scatter.from, placement, everybody(), std::vector<Reading::Axis>(info.extents.size())});
  }

  // Gather, most of Scatter, Deliver, MergeRuns: data say, or addresses.
  template <class Other>
  void operator()(const Other&) {}

 private:
  const Layout& layout_of(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info.layout; }
  static Reading aligned(const Operand& operand, const Layout& readers) { return dist::aligned_reading(operand.slot, operand.placement, readers); }

  template <class Make>
  void add_operands(const Kernel& kernel, Make make) {
    for (const auto& operand : kernel.operands)
      if (operand.source == Operand::Source::slot && !operand.is_written && operand.may_be_remote) add(make(operand));
  }
  void add(Reading reading) {
    if (!reading.placement.base.is_replicated) found_.push_back(std::move(reading));
  }

  const Plan& plan_;
  std::vector<Reading>& found_;
};

}  // namespace

void find_readings(Plan& plan) {
  for (auto& step : plan.steps) {
    step.readings.clear();
    std::visit(Finder(plan, step.readings), step.body);
  }
}

}  // namespace gamelan::engine::plan
