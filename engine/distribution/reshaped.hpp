// SPDX-License-Identifier: BSD-3-Clause
// The same blocks of memory under other extents. A view of an array in another shape (pooling, groups of
// columns, the flat form, the parts of complex numbers) is no box of the array as it is stored. Often it is a
// box once neighbouring axes are taken for one or an axis for several, and the blocks are the same memory
// either way: then nothing has to move. Pure arithmetic; the planner asks, and fetches.
#pragma once
#include <limits>
#include <optional>
#include <span>

#include "engine/distribution/pieces.hpp"

namespace gamelan::engine::distribution {

/// The layout over other extents with the same C order such that every rank's block is the same memory;
/// nullopt when there is none. `extents` may reach over the end along their first axis: its last index is
/// then there in part only.
std::optional<Layout> reshaped(const Layout& layout, const Shape& extents);

/// How a view looks at an array: `stored` are the extents of the array with the view's element size (its
/// elements may be parts of the array's), `seen` are extents with the same C order over which the view is a
/// box.
struct Look {
  Shape stored, seen;
};
/// nullopt when the view is a box under no extents (a window that slides, say).
std::optional<Look> look_of(const protocol::View& view, const Shape& extents, protocol::Dtype dtype);

/// The view as a box of an array of this layout: as it is stored, else under other extents with the same
/// blocks. nullopt when it is a box of neither, or when the array has no layout yet.
std::optional<Placement> place(const Layout& layout, const Shape& extents, protocol::Dtype dtype,
                               const protocol::View& view);

/// A layout of `extents` over all ranks under which each of the views is such a box: cut along one axis, at
/// multiples of what the views keep together. nullopt when there is none that shares the elements evenly.
std::optional<Layout> layout_for_looks(const Shape& extents, protocol::Dtype dtype,
                                       std::span<const protocol::View> views, int ranks);
/// True when arrays of these extents can be cut, along one of the first `axes` axes, into many parts under
/// which the view is a box. Does not depend on the number of ranks.
bool can_be_cut_for(const Shape& extents, protocol::Dtype dtype, const protocol::View& view,
                    std::size_t axes = std::numeric_limits<std::size_t>::max());

}  // namespace gamelan::engine::distribution
