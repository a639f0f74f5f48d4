// SPDX-License-Identifier: BSD-3-Clause
// How long the tiles of a program should be. What a program holds at once should fit in the first-level
// cache, or each instruction waits for the second-level cache. But short tiles cost more calls, and each call
// of a loop takes as long as some tens of elements.
#pragma once
#include <cstdint>

#include "engine/tiles/tile_rename.hpp"

namespace gamelan::engine::tiles {

/// The number of elements that a tile should have: `tile_elements`; fewer for a program that holds many
/// values at once, more for one of bytes only.
std::int64_t length_of_tiles(const Renamed& renamed);

}  // namespace gamelan::engine::tiles
