// SPDX-License-Identifier: BSD-3-Clause
// The fused loop: the element-wise commands of a group, in one pass over memory.
#pragma once
#include <memory>
#include <vector>

#include "engine/plan/program.hpp"
#include "engine/plan/slot.hpp"

namespace gamelan::engine::plan {

/// One pass over `iterations`. `carry`: before the pass, each rank copies its block of `from` to `to` (a new
/// version of the same array) except for what the pass overwrites. With an interior, another program runs
/// over a box of the iterations, and this one around it.
struct FusedLoop {
  struct Carry {
    int from = -1, to = -1;
    Layout blocks;  ///< of both, perhaps under other extents than they are stored with
    protocol::AxisWise written;
    Shape extents;  ///< of the written view
  };
  Layout iterations;
  Program program;
  std::vector<Operand> operands;
  std::vector<Carry> carries;
  std::shared_ptr<const FusedLoop>
      interior;  ///< its iterations are those of the box, and count from `interior_first`
  Shape interior_first;

  /// True for a pass that only makes its arrays: others write over all of them (overwritten.cpp).
  bool computes_nothing() const { return program.code.empty() && interior == nullptr; }
};

}  // namespace gamelan::engine::plan
