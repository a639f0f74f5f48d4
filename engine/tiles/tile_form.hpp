// SPDX-License-Identifier: BSD-3-Clause
// The form of a cell: its extents and strides, and which operands begin at the same element. A pass goes over
// many cells of one form, which differ only in where they lie, so what was found out about the first of them
// holds for the others. Used by tile_runner only, for programs that do not ask where in the iteration space
// they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/tiles/tile_geometry.hpp"

namespace gamelan::engine::tiles {

class CellForm {
 public:
  /// Keeps the form of a cell that `geometry` was planned for.
  void keep(const Cell& cell, const Geometry& geometry);
  /// True when the cell has the kept form. Then the geometry's addresses are those of this cell.
  bool move_to(const Cell& cell, Geometry& geometry) const;

 private:
  bool has_same_numbers(const Cell& cell) const;

  std::vector<std::int64_t> extents_,
      strides_;                           // strides: of each operand in turn, axes of extent 1 left out
  std::vector<std::ptrdiff_t> begins_;    // by operand: where the geometry begins, from the cell's address
  std::vector<std::size_t> first_alike_;  // by operand: the first that begins at the same element
};

}  // namespace gamelan::engine::tiles
