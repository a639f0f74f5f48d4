// SPDX-License-Identifier: BSD-3-Clause
// Several passes whose rows depend on the same rows only, run some rows at a time.
#pragma once
#include <variant>
#include <vector>

#include "engine/plan/step_folds.hpp"
#include "engine/plan/step_irregular.hpp"

namespace gamelan::engine::plan {

/// True for an operand of which every row takes the same elements.
inline bool is_for_all_rows(const Operand& operand) {
  return operand.placement.map.axes.front().base_axis < 0;
}

/// All parts run over the rows of one rank's block, as many together as stay in cache, before the next rows.
/// Of another rank's block they read only what is for all rows, and was there before. What a part writes is
/// new, and later parts read its rows as they were written.
struct RowChain {
  using Part = std::variant<FusedLoop, FoldBlocks, FoldFinish, ArgLines>;
  std::vector<Part> parts;
  Layout rows;               ///< of the first axis of every part, one axis
  std::int64_t together;     ///< rows
  std::vector<int> passing;  ///< slots of which there are only the rows in work (Slot::rows_kept)
};

}  // namespace gamelan::engine::plan
