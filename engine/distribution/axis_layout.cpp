// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::distribution {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

}  // namespace

bool is_empty(const Box& box) {
  return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.size() == 0; });
}

std::int64_t volume(const Box& box) {
  std::int64_t elements = 1;
  for (const auto& interval : box) elements *= interval.size();
  return elements;
}

Shape extents_of(const Box& box) {
  Shape extents;
  for (const auto& interval : box) extents.push_back(interval.size());
  return extents;
}

Box moved(Box box, const Shape& by) {
  for (std::size_t k = 0; k < box.size(); ++k) box[k] = {box[k].first + by[k], box[k].last + by[k]};
  return box;
}

Interval intersection(const Interval& left, const Interval& right) {
  return {std::max(left.first, right.first), std::min(left.last, right.last)};
}

Box intersection(const Box& left, const Box& right) {
  Box both;
  for (std::size_t k = 0; k < left.size(); ++k) both.push_back(intersection(left[k], right[k]));
  return both;
}

std::int64_t AxisLayout::cut(int c) const {
  if (!cuts.empty()) return cuts[static_cast<std::size_t>(c)];
  const std::int64_t units = ceil_div(template_extent, unit);
  return std::min(template_extent, unit * (units * c / parts));
}

Interval AxisLayout::interval(int c) const {
  // The first and the last piece extend to infinity, so that reduction blocks that reach beyond the end have
  // an owner.
  std::int64_t first = 0, last = extent;
  if (step > 0) {
    if (c > 0) first = ceil_div(cut(c) - start, step);
    if (c + 1 < parts) last = ceil_div(cut(c + 1) - start, step);
  } else if (step < 0) {
    if (c + 1 < parts) first = floor_div(start - cut(c + 1), -step) + 1;
    if (c > 0) last = floor_div(start - cut(c), -step) + 1;
  }
  first = std::clamp<std::int64_t>(first, 0, extent);
  last = std::clamp<std::int64_t>(last, 0, extent);
  return {first, std::max(first, last)};
}

int AxisLayout::owner(std::int64_t i) const {
  if (parts == 1) return 0;
  if (!cuts.empty())  // of pieces that begin at the same index, all but the last are empty
    return static_cast<int>(std::upper_bound(cuts.begin() + 1, cuts.end() - 1, start + step * i) -
                            cuts.begin()) -
           1;
  const std::int64_t index =
      std::clamp<std::int64_t>(start + step * i, 0, std::max<std::int64_t>(template_extent - 1, 0));
  const std::int64_t units = std::max<std::int64_t>(ceil_div(template_extent, unit), 1);
  // Smallest c whose next cut lies beyond unit k: floor((c + 1) * units / parts) > k.
  const std::int64_t k = index / unit;
  return static_cast<int>(ceil_div((k + 1) * parts, units) - 1);
}

std::int64_t AxisLayout::largest_interval() const {
  if (parts == 1 || extent == 0) return extent;
  const std::int64_t units = ceil_div(template_extent, unit);
  std::int64_t piece = unit * ceil_div(units, parts);
  if (!cuts.empty()) {
    piece = 0;
    for (std::size_t c = 1; c < cuts.size(); ++c) piece = std::max(piece, cuts[c] - cuts[c - 1]);
  }
  const std::int64_t overhang =
      std::max<std::int64_t>(0, std::max(start, start + step * (extent - 1)) - template_extent + 1);
  piece += overhang + std::max<std::int64_t>(0, -std::min(start, start + step * (extent - 1)));
  return std::min(extent, ceil_div(piece, std::max<std::int64_t>(1, std::abs(step))));
}

}  // namespace gamelan::engine::distribution
