// SPDX-License-Identifier: BSD-3-Clause
// How long the tiles of a program should be. What a program keeps at once should stay in the first cache, or
// each of its steps waits for the second; but each call of a loop costs as much as some tens of elements.
#pragma once
#include <cstdint>

#include "engine/tiles/tile_rename.hpp"

namespace gamelan::engine::tiles {

/// Elements that a tile should have, at most `tile_elements`: fewer for a program that holds many values at
/// once.
std::int64_t length_of_tiles(const Renamed& renamed);

}  // namespace gamelan::engine::tiles
