// SPDX-License-Identifier: BSD-3-Clause
// Into how many parts each axis of an array is cut so that every rank has one block: the grid of
// `default_layout`. Called for every new array of a batch, hence quick at any rank count and in 32
// dimensions. Pure arithmetic.
#pragma once
#include <span>
#include <vector>

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::distribution {

/// Parts per axis; their product is `ranks`. Among the grids with the least work per rank (or within 1/16 of
/// it) the one with the least cut surface. A cut of the last axis counts more: it makes short strided runs.
/// Of the axes, extent, template and unit matter. Every grid is tried where there are few; where there are
/// many (much of a rank count's factors, many axes), the factors are dealt one by one and then moved while
/// that helps.
///
/// A rank count with a large prime factor (65,521 is one) can be dealt to the axes in strips only. Where a
/// few ranks less make much better blocks, the product is that smaller number, and the last ranks own
/// nothing.
std::vector<int> choose_grid(std::span<const AxisLayout> axes, int ranks);

}  // namespace gamelan::engine::distribution
