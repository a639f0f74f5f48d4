// SPDX-License-Identifier: BSD-3-Clause
// Which rank owns which block: n-dimensional blocks of an array over a grid of ranks, in O(dims) memory at
// any rank count. Every axis is aligned to a *template* axis that is cut evenly (the idea of High Performance
// Fortran's ALIGN). So a view of an array, and an array made from that view, have a layout of the same form.
// Pure arithmetic, identical on all ranks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::distribution {

/// The layout of an array, or of the iterations of a step. `pinned` are grid axes on which only one
/// coordinate takes part (a view that fixes an index of a distributed axis). `is_replicated`: every rank
/// holds everything.
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
  /// False for ranks outside the grid, or beside a pinned coordinate: they own nothing.
  bool takes_part(int rank) const;
  /// The box that `rank` owns, if it takes part.
  Box box(int rank) const;
  /// One axis of box(rank).
  Interval interval(std::size_t axis, int rank) const;
  /// The coordinate of a rank on an axis, if it takes part.
  int coordinate(std::size_t axis, int rank) const {
    return std::max(rank - first_rank, 0) / axes[axis].rank_stride % axes[axis].parts;
  }
  /// The rank that owns an element; `self` when the layout is replicated.
  int owner(const Shape& index, int self) const;
  /// An upper bound of the elements in the largest block, identical on all ranks.
  std::int64_t largest_block() const;
  bool operator==(const Layout&) const = default;
};

/// True for an array of 2**30 elements or more. Such an array is assumed to lie on many ranks, so choices are
/// made for many ranks, even where they cost a little on few. Depends on the extents alone, as everything
/// must that decides how numbers are rounded.
bool is_for_many_ranks(const Shape& extents);

/// The number of elements in a segment of the last axis. Default layouts cut that axis only between segments,
/// and reductions fold by such blocks. Depends on the extents alone, never on the rank count.
std::int64_t segment_length(const Shape& extents);

/// Even blocks over all ranks (choose_grid in grid.hpp).
Layout default_layout(const Shape& extents, int ranks);

/// The layout of a view's index space, where `base` is the layout of its base. Axes that do not move through
/// the base are not cut.
Layout layout_of_view(const Layout& base, const protocol::AxisWise& map, const Shape& extents);

/// True when a new array may take this layout: nothing is pinned, and no axis that is cut has shrunk to less
/// than half its template.
bool is_balanced(const Layout& layout);

/// "3x5 on 2x1 ranks" and the cuts of each axis, for the texts of plans.
std::string describe(const Layout& layout);

}  // namespace gamelan::engine::distribution
