// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of a reduction's first half: a box of values -> one partial per brick. What lies together is
// folded in few calls: bricks are short when many results are kept. Knows nothing of ranks, nor where values
// come from.
#pragma once
#include <vector>

#include "engine/plan/plan.hpp"

namespace gamelan::engine::exec {

/// Whole bricks in memory; each is a run of the innermost reduced axes, its elements adjacent when the last
/// axis is one.
struct Bricks {
  const std::byte* values;                   ///< of the fold's loop dtype
  const protocol::Shape &strides, &extents;  ///< bytes; elements
  const protocol::Shape& grid;               ///< bricks per axis; the last of an axis may be cut
};

/// One partial per brick, C order over the grid; where the step is complete, one per result. Local.
void fold_bricks(const plan::FoldBricks& step, const plan::FoldBricks::Fold& fold, const Bricks& bricks,
                 std::vector<std::byte>& partials);

}  // namespace gamelan::engine::exec
