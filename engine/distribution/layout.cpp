// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/layout.hpp"

#include <algorithm>
#include <bit>

#include "engine/distribution/grid.hpp"

namespace gamelan::engine::distribution {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }  // a >= 0, b > 0

/// An axis that is not cut always gets the same description, because layouts are compared with ==.
AxisLayout normalised(const AxisLayout& axis) {
  if (axis.parts > 1) return axis;
  return {.extent = axis.extent, .template_extent = axis.extent};
}

}  // namespace

Shape Layout::extents() const {
  Shape shape;
  for (const auto& axis : axes) shape.push_back(axis.extent);
  return shape;
}

bool Layout::takes_part(int rank) const {
  if (is_replicated) return true;
  const int place = rank - first_rank;
  return place >= 0 && place < grid_size && std::all_of(pins.begin(), pins.end(), [&](const Pin& pin) {
           return place / pin.rank_stride % pin.parts == pin.coordinate;
         });
}

Box Layout::box(int rank) const {
  Box result(axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) result[k] = interval(k, rank);
  return result;
}

Interval Layout::interval(std::size_t axis, int rank) const {
  const auto& cut = axes[axis];
  if (cut.parts == 1) return {0, cut.extent};
  return cut.interval(is_replicated ? 0 : coordinate(axis, rank));
}

int Layout::owner(const Shape& index, int self) const {
  if (is_replicated) return self;
  int rank = first_rank;
  for (const auto& pin : pins) rank += pin.coordinate * pin.rank_stride;
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].parts > 1) rank += axes[k].owner(index[k]) * axes[k].rank_stride;
  return rank;
}

std::int64_t Layout::largest_block() const {
  std::int64_t elements = 1;
  for (const auto& axis : axes) elements *= axis.largest_interval();
  return elements;
}

bool is_for_many_ranks(const Shape& extents) {
  return protocol::element_count(extents) >= std::int64_t{1} << 30;
}

std::int64_t segment_length(const Shape& extents) {
  if (extents.empty()) return 1;
  constexpr std::int64_t pieces_wanted = 1024;
  // Of a small table whole rows are enough pieces: then a row is folded in one go, if it is long enough.
  constexpr std::int64_t rows_wanted = 256, long_row = 256, small = std::int64_t{1} << 20;
  // Rows of arrays for many ranks are cut finer, so that blocks need not be strips of a few rows.
  const std::int64_t longest = extents.size() > 1 && is_for_many_ranks(extents) ? 1024 : 4096;
  std::int64_t leading = 1;
  for (std::size_t k = 0; k + 1 < extents.size() && leading < pieces_wanted; ++k)
    leading *= std::max<std::int64_t>(extents[k], 1);
  const bool rows_suffice =
      leading >= rows_wanted && extents.back() >= long_row && protocol::element_count(extents) <= small;
  const std::int64_t pieces = rows_suffice ? 1 : ceil_div(pieces_wanted, leading);
  const std::int64_t length = std::max<std::int64_t>(1, ceil_div(extents.back(), pieces));
  return std::min(longest, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length))));
}

namespace {

/// Rows between which arrays are cut whose other axes are whole, when there are many rows for every rank;
/// else 0. Reduction blocks along the first axis end there, and tables are cut where the labels of their rows
/// are. (Images, which have fewer rows, are cut as evenly as can be: in blocks they fit more often.)
std::int64_t rows_together(const Shape& extents, int ranks) {
  constexpr std::int64_t pieces_wanted = 256, longest = 4096, fewest_rows = 16'384, fewest_pieces = 32;
  const auto rows = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extents[0])));
  const auto together = std::min(longest, rows / pieces_wanted);
  return extents[0] >= fewest_rows && extents[0] / together >= fewest_pieces * ranks ? together : 0;
}

}  // namespace

Layout default_layout(const Shape& extents, int ranks) {
  const auto dims = extents.size();
  Layout layout;
  layout.axes.resize(dims);
  for (std::size_t k = 0; k < dims; ++k) {
    auto& axis = layout.axes[k];
    axis.extent = axis.template_extent = extents[k];
    if (k + 1 == dims) axis.unit = segment_length(extents);
  }
  layout.is_replicated = protocol::element_count(extents) <= 1;
  if (layout.is_replicated || ranks == 1) return layout;

  const auto best = choose_grid(layout.axes, ranks);
  for (const int parts : best) layout.grid_size *= parts;
  int stride = layout.grid_size;
  for (std::size_t k = 0; k < dims; ++k) {
    stride /= best[k];
    layout.axes[k].parts = best[k];
    layout.axes[k].rank_stride = stride;
    if (k == 0 && best[0] == ranks)
      layout.axes[0].unit = std::max(layout.axes[0].unit, rows_together(extents, ranks));
    layout.axes[k] = normalised(layout.axes[k]);
  }
  return layout;
}

Layout layout_of_view(const Layout& base, const protocol::AxisWise& map, const Shape& extents) {
  Layout layout;
  layout.first_rank = base.first_rank;
  layout.grid_size = base.grid_size;
  layout.is_replicated = base.is_replicated;
  layout.axes.resize(extents.size());
  std::vector<bool> moved(base.axes.size(), false);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    auto& axis = layout.axes[k];
    const auto& from = map.axes[k];
    if (from.base_axis >= 0) {
      const auto& cut_axis = base.axes[static_cast<std::size_t>(from.base_axis)];
      moved[static_cast<std::size_t>(from.base_axis)] = true;
      axis = cut_axis;
      axis.start = cut_axis.start + cut_axis.step * from.start;
      axis.step = cut_axis.step * from.step;
    } else {
      axis = AxisLayout{.template_extent = extents[k]};
    }
    axis.extent = extents[k];
    axis = normalised(axis);
  }
  if (layout.is_replicated) return layout;
  layout.pins = base.pins;
  for (std::size_t b = 0; b < base.axes.size(); ++b)
    if (!moved[b] && base.axes[b].parts > 1)
      layout.pins.push_back({base.axes[b].parts, base.axes[b].rank_stride, base.axes[b].owner(map.fixed[b])});
  return layout;
}

bool is_balanced(const Layout& layout) {
  if (!layout.pins.empty()) return false;
  for (const auto& axis : layout.axes)
    if (axis.parts > 1 && (axis.step < 0 || 2 * axis.extent * axis.step < axis.template_extent)) return false;
  return true;
}

std::string describe(const Layout& layout) {
  std::string text;
  for (const auto& axis : layout.axes) text += (text.empty() ? "" : "x") + std::to_string(axis.extent);
  if (layout.is_replicated) return (text.empty() ? "scalar" : text) + " replicated";
  text += " on ";
  for (std::size_t k = 0; k < layout.axes.size(); ++k)
    text += (k ? "x" : "") + std::to_string(layout.axes[k].parts);
  text += " ranks";
  if (layout.first_rank > 0) text += " from rank " + std::to_string(layout.first_rank);
  for (const auto& pin : layout.pins)
    text += ", pinned " + std::to_string(pin.coordinate) + "/" + std::to_string(pin.parts);
  return text;
}

}  // namespace gamelan::engine::distribution
