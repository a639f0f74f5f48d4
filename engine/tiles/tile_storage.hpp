// SPDX-License-Identifier: BSD-3-Clause
// Where each value of a tile program lives: in a register tile, or in place in an operand's memory without a
// copy. The answer depends on how a cell's operands lie in memory (OperandTraits), not on shapes, so one
// assignment serves many cells. Pure data; used by the tile interpreter only.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/tile.hpp"

namespace gamelan::engine::exec {

/// One value of the program: a register between two writes.
struct Value {
  protocol::Dtype dtype{};
  int defined_at = 0;  ///< step
  int last_use = -1;   ///< step; -1 when nobody reads it
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
  bool streams = false;          ///< store
  protocol::Op op{};             ///< compute
  protocol::Dtype loop_dtype{};  ///< compute
  bool is_pair = false;          ///< compute: two operations in one pass, over three operands
  Pair pair;
  bool is_same_dtype = false;  ///< load, store: operand and value have one dtype
  int source = -1;             ///< index of the instruction it came from
};

struct Renamed {
  std::vector<Step> steps;
  std::vector<Value> values;
};

/// How one operand lies in memory for a cell.
struct OperandTraits {
  bool is_contiguous =
      false;              ///< each tile is consecutive memory, gaps between rows included (tile_geometry.hpp)
  bool has_gaps = false;  ///< a contiguous one may only be read in place
  bool is_scalar = false;     ///< one repeated element
  bool is_single = false;     ///< one repeated element within each tile
  bool is_invariant = false;  ///< every tile reads the same elements
  int alias = 0;              ///< the first operand at the same address: same elements, same positions
  bool operator==(const OperandTraits&) const = default;
};

/// A place that a pointer names during a run: an operand's current tile or a register tile.
struct Place {
  enum class Kind : std::uint8_t { none, operand, slot } kind = Kind::none;
  int number = -1;
};
/// A register tile: `item_bytes` wide elements; equal numbers of equal width are the same memory in every
/// assignment. Or a single element, numbered by its value.
struct Slot {
  std::int64_t item_bytes = 0;
  int number = 0;
  bool is_element = false;
};

struct StorageAssignment {
  enum class Action : std::uint8_t { gather, cast, compute, scatter };
  struct Move {
    Action action{};
    int step = 0;
    Loop loop = nullptr;
    Place out;
    std::array<Place, 3> in{};
    int in_count = 0;
  };
  std::vector<OperandTraits> traits;
  std::vector<Move> constants;  ///< filled once, in slots that no assignment uses otherwise
  std::vector<Move> repeated;   ///< per cell: operands that are the same for every tile
  std::vector<Move> moves;      ///< per tile
  std::vector<Slot> slots;
};

/// Merges an operation into the one that uses its result, where a loop for the pair exists and nobody else
/// reads it.
void pair_up(Renamed& renamed);
/// Throws Error{internal} unless every step is well formed: registers written before they are read, dtypes as
/// the rows of the op table say.
Renamed rename(const Program& program);
StorageAssignment assign_storage(const Renamed& renamed, const std::vector<OperandTraits>& traits);
/// Elements that a tile should have, at most `tile_elements`: fewer for a program that holds many values at
/// once.
std::int64_t length_of_tiles(const Renamed& renamed);

}  // namespace gamelan::engine::exec
