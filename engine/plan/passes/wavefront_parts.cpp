// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/wavefront_parts.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace gamelan::engine::plan {
namespace {

// Of a row of a reduction: its values may need scratch memory (run_fold.cpp), which should stay in cache.
constexpr std::int64_t most_folded = 1 << 15;  // elements

using distribution::AxisLayout;

/// True when all axes but the first one are whole with every rank, and nothing is pinned.
bool is_cut_by_rows(const Layout& layout) {
  const auto is_whole = [](const AxisLayout& axis) { return axis.parts == 1; };
  return !layout.is_replicated && !layout.axes.empty() && layout.pins.empty() &&
         layout.axes.front().step == 1 && std::all_of(layout.axes.begin() + 1, layout.axes.end(), is_whole);
}

/// By how many rows the operand is ahead of the iterations, if it has their rows.
std::optional<std::int64_t> shift_of(const Operand& operand, const Layout& iterations, const Layout& slot) {
  const auto& placement = operand.placement;
  const auto& axis = placement.map.axes.front();
  if (placement.base != slot || axis.base_axis != 0 || axis.step != 1) return std::nullopt;
  if (!is_cut_by_rows(slot) || !is_cut_by_rows(placement.iterations)) return std::nullopt;
  if (!have_same_cuts(placement.iterations, iterations)) return std::nullopt;
  const auto& own = iterations.axes.front();
  return own.parts == 1 ? axis.start : placement.iterations.axes.front().start - own.start;
}

/// Where the partials of a fold lie, by reduction blocks.
const Layout& layout_of_partials(const FoldBlocks::Fold& fold, const FoldBlocks& of,
                                 const LayoutOf& layout_of) {
  return fold.is_result ? of.kept : layout_of(fold.partials);
}

}  // namespace

bool has_rows(const Step& step, const LayoutOf& layout_of) {
  const auto* fold = std::get_if<FoldBlocks>(&step.body);
  if (fold == nullptr && !std::holds_alternative<FusedLoop>(step.body)) return false;
  const FusedLoop& loop = loop_of(step.body);
  if (loop.interior || loop.computes_nothing() || !is_cut_by_rows(loop.iterations)) return false;
  if (fold == nullptr) return true;
  const bool is_row_by_row =
      fold->block_extents.front() == 1 && !(fold->is_complete && fold->reduced.front());
  return is_row_by_row && protocol::element_count(fold->extents) > 0 &&
         row_elements_of(step) <= most_folded &&
         std::all_of(fold->folds.begin(), fold->folds.end(), [&](const auto& each) {
           const auto& layout = layout_of_partials(each, *fold, layout_of);
           return is_cut_by_rows(layout) && have_same_cuts(layout, loop.iterations);
         });
}

bool have_same_cuts(const Layout& left, const Layout& right) {
  const auto &a = left.axes.front(), &b = right.axes.front();
  if (left.first_rank != right.first_rank || left.grid_size != right.grid_size || a.parts != b.parts)
    return false;
  return a.parts == 1 || (a.template_extent == b.template_extent && a.unit == b.unit && a.step == b.step &&
                          a.rank_stride == b.rank_stride && a.cuts == b.cuts);
}

std::int64_t first_row(const Layout& iterations) {
  const auto& rows = iterations.axes.front();
  return rows.parts == 1 ? 0 : rows.start;
}

std::int64_t rows_of_rank(const Step& step) {
  return std::max<std::int64_t>(loop_of(step.body).iterations.axes.front().largest_interval(), 1);
}

std::int64_t row_elements_of(const Step& step) {
  const auto* fold = std::get_if<FoldBlocks>(&step.body);
  auto extents = fold != nullptr ? fold->extents : loop_of(step.body).iterations.extents();
  extents.front() = 1;
  return protocol::element_count(extents);
}

std::vector<RowUse> row_uses_of(const Step& step, const LayoutOf& layout_of) {
  const FusedLoop& loop = loop_of(step.body);
  std::vector<RowUse> uses;
  for (const auto& operand : loop.operands) {
    if (operand.source != Operand::Source::slot) continue;
    uses.push_back(
        {operand.slot, shift_of(operand, loop.iterations, layout_of(operand.slot)), operand.is_written});
  }
  if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
    for (const auto& each : fold->folds) {
      const auto& partials = layout_of_partials(each, *fold, layout_of).axes.front();
      const auto& own = loop.iterations.axes.front();
      uses.push_back({each.partials, own.parts == 1 ? 0 : partials.start - own.start, true});
    }
  return uses;
}

std::optional<Distances> distances_of(std::span<const std::vector<RowUse>> parts) {
  std::set<int> written;
  for (const auto& uses : parts)
    for (const auto& use : uses)
      if (use.is_written) written.insert(use.slot);
  Distances distances;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::int64_t skew = 0, top = 0, bottom = 0;
    for (const auto& use : parts[p]) {
      if (!written.contains(use.slot)) continue;
      if (!use.shift) return std::nullopt;
      // In the first step a rank reads nothing that another rank may be writing.
      top = std::max(top, -*use.shift);
      bottom = std::max(bottom, *use.shift);
    }
    for (std::size_t q = 0; q < p; ++q)
      for (const auto& before : parts[q])
        for (const auto& use : parts[p]) {
          if (before.slot != use.slot || (!before.is_written && !use.is_written)) continue;
          const auto ahead = *use.shift - *before.shift;
          skew = std::max(skew, distances.skew[q] + ahead);
          top = std::max(top, distances.top[q] - ahead);
          bottom = std::max(bottom, distances.bottom[q] + ahead);
        }
    distances.skew.push_back(skew);
    distances.top.push_back(top);
    distances.bottom.push_back(bottom);
  }
  return distances;
}

std::int64_t bytes_in_flight(std::span<const std::vector<RowUse>> parts, const Distances& distances,
                             std::int64_t together, const std::function<std::int64_t(int slot)>& row_bytes) {
  struct Band {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
  };
  std::map<int, Band> bands;  // of rows behind the front, by slot
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const auto& use : parts[p]) {
      if (!use.shift) continue;
      auto& band = bands[use.slot];
      band.first = std::min(band.first, distances.skew[p] - *use.shift);
      band.last = std::max(band.last, distances.skew[p] - *use.shift);
    }
  std::int64_t bytes = 0;
  for (const auto& [slot, band] : bands) bytes += (band.last - band.first + together) * row_bytes(slot);
  return bytes;
}

}  // namespace gamelan::engine::plan
