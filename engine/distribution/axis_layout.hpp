// SPDX-License-Identifier: BSD-3-Clause
// Intervals, boxes, and how one axis of an array is cut. Layouts (layout.hpp) are made of such axes. Pure
// arithmetic.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::engine::distribution {

using protocol::Shape;

/// Half-open range of indices.
struct Interval {
  std::int64_t first = 0, last = 0;
  std::int64_t size() const { return last > first ? last - first : 0; }
  bool operator==(const Interval&) const = default;
};
using Box = std::vector<Interval>;  ///< one interval per axis
bool is_empty(const Box& box);
std::int64_t volume(const Box& box);
Shape extents_of(const Box& box);
/// The box moved by `by` along every axis.
Box moved(Box box, const Shape& by);
/// The common part; empty when there is none.
Interval intersection(const Interval& left, const Interval& right);
Box intersection(const Box& left, const Box& right);
/// Visits the part of `box` (first <= last on every axis) outside `hole`, as boxes: axis by axis, those below
/// the hole and those above it.
template <class Visit>
void for_each_slab(Box box, const Box& hole, Visit visit) {
  for (std::size_t k = 0; k < box.size(); ++k) {
    const auto low = std::clamp(hole[k].first, box[k].first, box[k].last);
    const auto high = std::clamp(hole[k].last, low, box[k].last);
    for (const Interval part : {Interval{box[k].first, low}, Interval{high, box[k].last}}) {
      Box slab = box;
      slab[k] = part;
      if (!is_empty(slab)) visit(slab);
    }
    box[k] = {low, high};
  }
}

/// One axis: index i lies at template index start + step * i. The template axis is cut into `parts` even
/// pieces at multiples of `unit`, or where the user chose (`cuts`). The coordinate of a rank is ((rank -
/// first_rank) / rank_stride) % parts. Template indices outside the template belong to its first or last
/// piece.
struct AxisLayout {
  std::int64_t extent = 0;
  std::int64_t template_extent = 0, start = 0, step = 1, unit = 1;
  int parts = 1, rank_stride = 1;
  std::vector<std::int64_t> cuts =
      {};  ///< chosen ones: parts + 1 template indices, ascending; empty when even

  /// The first template index of piece c (0 <= c <= parts).
  std::int64_t cut(int c) const;
  /// The indices of this axis that coordinate c owns; empty when there are none.
  Interval interval(int c) const;
  /// The coordinate that owns index i (0 <= i < extent).
  int owner(std::int64_t i) const;
  /// Upper bound of interval(c).size() over all c, without a loop over ranks.
  std::int64_t largest_interval() const;
  bool operator==(const AxisLayout&) const = default;
};

}  // namespace gamelan::engine::distribution
