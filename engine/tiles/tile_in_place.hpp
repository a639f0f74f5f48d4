// SPDX-License-Identifier: BSD-3-Clause
// First half of the storage assignment: which values need no register tile of their own. It finds stores that
// can happen where the value is computed, loads that need no copy, and what is the same for every tile.
// Operands may be the same memory. So a value in place must not be read after a write to it, and a write must
// not move before a read of what was there. Used by tile_storage.cpp only.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_rename.hpp"

namespace gamelan::engine::tiles {

/// How one operand lies in memory for a cell.
struct OperandTraits {
  bool is_contiguous =
      false;              ///< each tile is consecutive memory, gaps between rows included (tile_geometry.hpp)
  bool has_gaps = false;  ///< a contiguous one may only be read in place
  bool is_scalar = false;     ///< one repeated element
  bool is_single = false;     ///< one repeated element within each tile
  bool is_invariant = false;  ///< every tile reads the same elements
  bool wraps = false;         ///< the same few elements again and again (tile_lanes.hpp)
  int alias = 0;              ///< the first operand at the same address: same elements, same positions
  bool operator==(const OperandTraits&) const = default;
};

/// Where a pointer points during a run: an operand's current tile or a register tile.
struct Place {
  enum class Kind : std::uint8_t { none, operand, slot } kind = Kind::none;
  int number = -1;
};
/// The constructor decides. StorageAssigner derives from it and gives register tiles to the other values.
class InPlaceValues {
 public:
  InPlaceValues(const Renamed& renamed, const std::vector<OperandTraits>& traits);

 protected:
  int step_count() const { return static_cast<int>(steps_.size()); }
  const Step& at(int index) const { return steps_[static_cast<std::size_t>(index)]; }
  const Value& value(int number) const { return values_[static_cast<std::size_t>(number)]; }
  const OperandTraits& traits(int operand) const { return traits_[static_cast<std::size_t>(operand)]; }
  int alias(int operand) const { return traits(operand).alias; }

  bool may_be_single(int number) const;
  bool every_use_takes_an_element(int number) const;

  const std::vector<OperandTraits>& traits_;
  const std::vector<Step>& steps_;
  std::vector<Value> values_;                   // a store that happens soon is not a late use
  std::vector<int> stored_in_;                  // value -> operand into which it is computed, -1
  std::vector<bool> store_is_done_;             // step: the value's definition does the work
  std::vector<bool> is_soon_;                   // step: a store that follows the value's definition
  std::vector<std::vector<int>> stored_after_;  // by defining step
  std::vector<Place> places_;                   // by value: in an operand, or not yet known
  std::vector<bool> is_hoisted_;                // the same for every tile of a cell: filled before the first
  std::vector<bool> is_single_;                 // one element; its place may hold only this one

 private:
  void hoist(const Step& step);
  bool is_single_load(const Step& step) const;
  bool is_contiguous_load(const Step& step) const;
  bool may_load_in_place(const Step& step) const { return is_contiguous_load(step) || is_single_load(step); }
  void store_early(int index);
  bool may_write_at(int defined, int index) const;
  void store_soon(int index);
  int written_at(int index) const;
  void load_in_place(int index);
};

}  // namespace gamelan::engine::tiles
