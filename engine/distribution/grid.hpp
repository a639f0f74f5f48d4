// SPDX-License-Identifier: BSD-3-Clause
// Decides into how many parts each axis of an array is cut so that every rank has one block: the grid of
// `default_layout`. Called for every new array of a batch, so it is quick at any rank count and in 32
// dimensions. Pure arithmetic.
#pragma once
#include <span>
#include <vector>

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::distribution {

/// The number of parts per axis; their product is `ranks`. Chosen is the grid with the smallest surface of
/// cuts, among the grids whose work per rank is the least or within 1/16 of it. A cut of the last axis counts
/// more, because it makes short strided runs; of axes that cost the same, the first ones are cut. Of `axes`,
/// extent, template and unit matter. All grids are tried where there are few. Where there are many (many
/// factors, many axes), the prime factors are given to the axes one by one, and then moved while that helps.
///
/// A rank count with a large prime factor (65,521 is one) allows only strips. Where slightly fewer ranks make
/// much better blocks, the product is that smaller number, and the last ranks own nothing.
std::vector<int> choose_grid(std::span<const AxisLayout> axes, int ranks);

}  // namespace gamelan::engine::distribution
