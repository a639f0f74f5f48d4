// SPDX-License-Identifier: BSD-3-Clause
// How a reduction is cut into bricks: boxes folded in one go, by the extents alone, so that the bits of the
// result do not depend on the number of ranks. Pure arithmetic; used by fuse and lower_fold.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// Which of `dims` axes are among the reduced ones.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t dims);
/// Extent per axis; 1 on kept axes. A brick is a contiguous run of the innermost reduced axes.
Shape brick_extents(const Shape& extents, const std::vector<bool>& is_reduced);
/// The same for partials, which are folded in their turn; all 1 where there is nothing (more) to fold.
Shape brick_of_partials(const Shape& extents, const std::vector<bool>& is_reduced);
/// The bricks' own layout, in brick indices: a brick belongs to the owner of its last element.
Layout layout_of_bricks(const Layout& iterations, const Shape& extents, const Shape& brick);
/// True when no brick reaches from one rank's part of the iterations into another's.
bool bricks_fit(const Layout& iterations, const Shape& brick);

}  // namespace gamelan::engine::plan
