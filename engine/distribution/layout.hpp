// SPDX-License-Identifier: BSD-3-Clause
// Who owns which block: n-d blocks of an array over a grid of ranks, in O(dims) memory at any rank count.
// Every axis is aligned to a *template* axis that is cut evenly (the idea of High Performance Fortran's
// ALIGN): a view of an array, and an array made from that view, have a layout of the same form. Pure
// arithmetic, identical on all ranks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::engine::dist {

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
/// The box, `by` further along every axis.
Box moved(Box box, const Shape& by);
/// The common part, empty when there is none.
Box intersection(const Box& left, const Box& right);
/// Visits what is left of `box` (first <= last on every axis) without `hole`, in boxes: those below and above
/// the hole, axis by axis.
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

/// One axis: index i lies at template index start + step * i; the template axis is cut into `parts` even
/// pieces at multiples of `unit`, or where its owner has chosen. A rank's coordinate is ((rank - first_rank)
/// / rank_stride) % parts. Template indices outside the template belong to its first or last piece.
struct AxisLayout {
  std::int64_t extent = 0;
  std::int64_t template_extent = 0, start = 0, step = 1, unit = 1;
  int parts = 1, rank_stride = 1;
  std::vector<std::int64_t> cuts =
      {};  ///< chosen ones: parts + 1 template indices, ascending; empty when even

  /// First template index of piece c (0 <= c <= parts).
  std::int64_t cut(int c) const;
  /// Indices of this axis that coordinate c owns; empty when none.
  Interval interval(int c) const;
  /// Coordinate that owns index i (0 <= i < extent).
  int owner(std::int64_t i) const;
  /// Upper bound of interval(c).size() over all c, without a loop over ranks.
  std::int64_t largest_interval() const;
  bool operator==(const AxisLayout&) const = default;
};

/// A layout of an array, or of the iterations of a step. `pinned` are grid axes on which only one coordinate
/// takes part (a view that fixes an index of a distributed axis). Replicated: every rank holds everything.
struct Layout {
  struct Pin {
    int parts, rank_stride, coordinate;
    bool operator==(const Pin&) const = default;
  };
  std::vector<AxisLayout> axes;
  std::vector<Pin> pins;
  int first_rank = 0;  ///< of the grid: ranks before it own nothing
  int grid_size = 1;   ///< ranks at or beyond first_rank + grid_size own nothing
  bool is_replicated = false;

  Shape extents() const;
  /// False for ranks outside the grid or off a pinned coordinate: they own nothing.
  bool takes_part(int rank) const;
  /// What `rank` owns, given that it takes part.
  Box box(int rank) const;
  /// One axis of it.
  Interval interval(std::size_t axis, int rank) const;
  /// The coordinate of a rank on an axis, given that it takes part.
  int coordinate(std::size_t axis, int rank) const {
    return std::max(rank - first_rank, 0) / axes[axis].rank_stride % axes[axis].parts;
  }
  /// The rank that owns an element; for a replicated layout `self`.
  int owner(const Shape& index, int self) const;
  /// Elements of the largest block, an upper bound that is identical on all ranks.
  std::int64_t largest_block() const;
  bool operator==(const Layout&) const = default;
};

/// So large that nobody keeps it on few ranks: what many need then counts more than what few would save.
/// Known from the extents alone, as all that decides how numbers are rounded.
bool is_for_many_ranks(const Shape& extents);

/// Elements per segment of the last axis: default layouts cut it only at multiples, reductions fold by such
/// reduction blocks. Depends on the extents alone, never on the rank count.
std::int64_t segment_length(const Shape& extents);

/// Even blocks over all ranks: the grid with the least work per rank, then the least cut surface, the last
/// axis last.
Layout default_layout(const Shape& extents, int ranks);

/// Layout of a view's index space over `base` (axes that do not move through the base are not cut).
Layout layout_of_view(const Layout& base, const protocol::AxisWise& map, const Shape& extents);

/// True when a fresh array may take this layout: nothing pinned, and no cut axis shrunk to less than half its
/// template.
bool is_balanced(const Layout& layout);

/// "3x5 on 2x1 ranks" and the cuts of each axis, for plans and pictures.
std::string describe(const Layout& layout);

}  // namespace gamelan::engine::dist
