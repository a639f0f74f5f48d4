// SPDX-License-Identifier: BSD-3-Clause
// Where each value of a tile program lies: in a register tile, or in place in an operand's memory without a
// copy. The answer depends on how a cell's operands lie in memory (OperandTraits), not on shapes, so one
// assignment serves many cells. Pure data; used by the tile interpreter only.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_in_place.hpp"

namespace gamelan::engine::tiles {

/// A register tile of `item_bytes` wide elements, or a single element, numbered by its value. Equal numbers
/// of equal width are the same memory in every assignment.
struct Slot {
  std::int64_t item_bytes = 0;
  int number = 0;
  bool is_element = false;
};

/// Where values lie, and the moves in order, for operands that lie in memory as `traits` say.
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
  std::vector<Move> constants;  ///< filled once, in slots that no assignment uses for anything else
  std::vector<Move> repeated;   ///< per cell: operands that are the same for every tile
  std::vector<Move> moves;      ///< per tile
  std::vector<Slot> slots;
};

StorageAssignment assign_storage(const Renamed& renamed, const std::vector<OperandTraits>& traits);
}  // namespace gamelan::engine::tiles
