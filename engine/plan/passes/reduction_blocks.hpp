// SPDX-License-Identifier: BSD-3-Clause
// How a reduction is cut into reduction blocks: boxes that are folded in one go. They depend on the extents
// alone, so the bits of the result do not depend on the number of ranks. Pure arithmetic; used by fuse and
// lower_fold.
#pragma once
#include <optional>
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::plan {

/// For each of `dims` axes, whether it is reduced.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t dims);
/// The extents of a reduction block; 1 on kept axes. A reduction block is a contiguous run of the innermost
/// reduced axes.
Shape reduction_block_extents(const Shape& extents, const std::vector<bool>& is_reduced);
/// The same for partials, which are folded in turn; all 1 where nothing (more) is to be folded.
Shape reduction_block_of_partials(const Shape& extents, const std::vector<bool>& is_reduced);
/// The layout of the reduction blocks, whose indices count reduction blocks. Each belongs to the owner of its
/// last element.
Layout layout_of_reduction_blocks(const Layout& iterations, const Shape& extents, const Shape& block);
/// For few long rows that are folded into one, where all reduction blocks would belong to one rank: leaves
/// the reduced axes whole, and cuts the kept ones as the result is cut. Nothing where several ranks have
/// reduction blocks, or where ranks would read small pieces of many blocks.
std::optional<Layout> layout_of_long_rows(const Layout& iterations, const Shape& extents,
                                          const std::vector<bool>& is_reduced, int ranks);
/// True when no reduction block reaches from one rank's part of the iterations into another's.
bool reduction_blocks_fit(const Layout& iterations, const Shape& block);

}  // namespace gamelan::engine::plan
