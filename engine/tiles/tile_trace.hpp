// SPDX-License-Identifier: BSD-3-Clause
// From the interpreter to the compiled tier (engine/jit): runs of moves that it can compile become traces.
// The interpreter does what lies between them, strided copies and most transcendental functions; its values
// are in register tiles before and after.
#pragma once
#include <vector>

#include "engine/jit/trace.hpp"
#include "engine/tiles/tile_storage.hpp"

namespace gamelan::engine::tiles {

/// Moves first <= m < last of a storage assignment. Place k of the trace is operand k, or from the number of
/// operands on, a slot.
struct TracedMoves {
  std::size_t first = 0, last = 0;
  jit::Trace trace;
};

/// The longest runs that have two computing moves or more, in order.
std::vector<TracedMoves> find_traces(const Renamed& renamed, const StorageAssignment& storage,
                                     jit::InstructionSet set);

}  // namespace gamelan::engine::tiles
