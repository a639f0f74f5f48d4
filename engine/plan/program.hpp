// SPDX-License-Identifier: BSD-3-Clause
// The types of the program of a fused loop (engine/tiles/tile_program.hpp). The planner writes such programs,
// each register once; the tile interpreter runs them, and engine/jit compiles what has run often.
#pragma once
#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::plan {

using tiles::Instruction;
using tiles::Program;

}  // namespace gamelan::engine::plan
