// SPDX-License-Identifier: BSD-3-Clause
// Several passes whose rows depend on the same rows only, run some rows at a time.
#pragma once
#include <variant>
#include <vector>

#include "engine/plan/step_folds.hpp"

namespace gamelan::engine::plan {

/// All parts run over the rows of one rank's block, as many together as stay in cache, before the next rows.
/// No part reads another rank's block. What a part writes is new, and later parts read its rows as they were
/// written.
struct RowChain {
  using Part = std::variant<FusedLoop, FoldBlocks, FoldFinish>;
  std::vector<Part> parts;
  Layout rows;            ///< of the first axis of every part, one axis
  std::int64_t together;  ///< rows
};

}  // namespace gamelan::engine::plan
