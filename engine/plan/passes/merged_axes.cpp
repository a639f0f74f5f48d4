// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/merged_axes.hpp"

#include <algorithm>

namespace gamelan::engine::plan {
namespace {

/// Axes first..last of a layout as one axis; nullopt when their blocks do not follow one another in C order.
std::optional<Layout> merged(const Layout& layout, std::size_t first, std::size_t last) {
  std::int64_t inner = 1;
  for (auto k = first + 1; k <= last; ++k) {
    if (layout.axes[k].parts > 1) return std::nullopt;
    inner *= layout.axes[k].extent;
  }
  auto axis = layout.axes[first];
  if (axis.parts > 1) {
    if (axis.step != 1) return std::nullopt;
    for (auto* number : {&axis.extent, &axis.template_extent, &axis.start, &axis.unit}) *number *= inner;
    for (auto& cut : axis.cuts) cut *= inner;
  } else {
    const auto extent = axis.extent * inner;
    axis = {.extent = extent, .template_extent = extent};
  }
  Layout result = layout;
  const auto begin = result.axes.begin() + static_cast<std::ptrdiff_t>(first);
  *begin = axis;
  result.axes.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(last - first) + 1);
  return result;
}

}  // namespace

std::optional<distribution::Placement> place_merged(const View& view, const ArrayInfo& base) {
  const auto item = protocol::size_of(base.dtype);
  if (auto box = distribution::box_of_base(view, base.extents, base.dtype))
    return distribution::place(base.layout, *box, view.extents, item);
  const auto dims = base.layout.axes.size();
  if (dims != base.extents.size() || protocol::element_count(base.extents) == 0) return std::nullopt;
  for (std::size_t count = dims; count >= 2; --count)  // all of them first: the flat form
    for (std::size_t first = 0; first + count <= dims; ++first)
      if (const auto layout = merged(base.layout, first, first + count - 1))
        if (auto box = distribution::box_of_base(view, layout->extents(), base.dtype))
          return distribution::place(*layout, *box, view.extents, item);
  return std::nullopt;
}

}  // namespace gamelan::engine::plan
