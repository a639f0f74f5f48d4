// SPDX-License-Identifier: BSD-3-Clause
// Operands that run across the others (`A + B.T`) are turned panel by panel: a panel is some rows of the cell
// whose elements of such an operand are whole cache lines. It is turned into memory that stays in cache, and
// then the program runs along rows, where every operand is contiguous. Decides which axes and how many rows;
// used by tile_runner only.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/tiles/tile_geometry.hpp"

namespace gamelan::engine::tiles {

class Panels {
 public:
  /// True when the cell has operands to be turned; each() then visits its parts.
  bool find(const Cell& cell, const GeometryRules& rules);
  /// Calls run(cell) for each part of the cell that find() was given, with the turned operands in place of
  /// those that run across.
  template <class Run>
  void each(const Run& run) {
    for (begin(); !is_done_; next()) run(part());
  }

 private:
  struct Turned {
    std::size_t operand;
    std::int64_t item_bytes;
    std::vector<std::byte> memory;
    std::vector<std::int64_t> strides;
  };

  void begin();
  void next();
  Cell part();

  Cell cell_{};
  std::size_t along_ = 0, across_ = 0;
  std::int64_t rows_ = 0, length_ = 0;  ///< of a panel, along the two axes
  std::vector<Turned> turned_;
  bool is_done_ = false;
  std::vector<std::int64_t> at_, extents_, first_;
  std::vector<Pointer> pointers_;
};

}  // namespace gamelan::engine::tiles
