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

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::distribution {

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

}  // namespace gamelan::engine::distribution
