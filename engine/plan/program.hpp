// SPDX-License-Identifier: BSD-3-Clause
// A fused loop as data: a short register program that the planner writes and a tier of engine/tiles runs (the
// tile interpreter, and machine code of what is hot). The planner writes each register once.
#pragma once
#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::plan {

using tiles::Instruction;
using tiles::Program;

}  // namespace gamelan::engine::plan
