// SPDX-License-Identifier: BSD-3-Clause
// A tile program with its registers renamed to values, each written once, and its loops and casts looked up.
// A value that was computed before is used again, and instructions whose value is never read are dropped.
// Used by the tile interpreter only.
#pragma once
#include <array>
#include <vector>

#include "engine/tiles/loops/loop_types.hpp"
#include "engine/tiles/tile_program.hpp"

namespace gamelan::engine::tiles {

/// One value of the program: a register between two writes.
struct Value {
  protocol::Dtype dtype{};
  int defined_at = 0;  ///< step
  int last_use = -1;   ///< step; -1 when it is never read
};

/// The program with registers renamed to values, loops and casts looked up.
struct Step {
  Instruction::Kind kind{};
  int operand = -1;                   ///< load, store
  int out = -1;                       ///< value; -1 for a store
  std::array<int, 3> in{-1, -1, -1};  ///< values
  Loop loop = nullptr;                ///< compute
  Loop with_left = nullptr,
       with_right = nullptr;  ///< compute with one operand as a single element, where they exist
  Cast cast = nullptr;        ///< load, store, constant, cast
  bool is_nullary = false;
  bool streams = false;          ///< load, store
  protocol::Op op{};             ///< compute
  protocol::Dtype loop_dtype{};  ///< compute
  bool is_pair = false;          ///< compute: two operations in one pass, over three operands
  Pair pair;
  bool is_same_dtype = false;  ///< load, store: operand and value have one dtype
  int source = -1;             ///< index of the instruction it came from
};

/// A program after renaming.
struct Renamed {
  std::vector<Step> steps;
  std::vector<Value> values;
};

/// Merges an operation into the one that uses its result, where a loop for the pair exists and nothing else
/// reads the result.
void pair_up(Renamed& renamed);
/// Throws Error{internal} unless every step is well formed: registers written before they are read, dtypes as
/// the rows of the op table say.
Renamed rename(const Program& program);

}  // namespace gamelan::engine::tiles
