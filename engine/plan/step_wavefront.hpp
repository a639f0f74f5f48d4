// SPDX-License-Identifier: BSD-3-Clause
// Several passes over the same large arrays (the sweeps of a stencil, and a reduction of what they make),
// tiled in time: a band of rows goes through all of them while it is in cache, and each pass follows the one
// before it at a distance of some rows.
#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "engine/plan/step_folds.hpp"

namespace gamelan::engine::plan {

/// The loop of a part or of a step; of a reduction, the one that computes its values.
template <class Body>
auto& loop_of(Body& body) {
  auto* fold = std::get_if<FoldBlocks>(&body);
  return fold != nullptr ? fold->values : std::get<FusedLoop>(body);
}

/// Two steps may share the parts. The first computes every rank's rows that depend on no other rank's, as a
/// wavefront. Around the borders between two ranks' blocks it leaves rows, more of them for each part. The
/// second step (`is_at_borders`) computes these; the rank behind a border does so for both blocks.
struct Wavefront {
  struct Part {
    std::variant<FusedLoop, FoldBlocks> pass;  ///< its carries are copied before all parts
    /// This part computes row i when the front is at row i + skew.
    std::int64_t skew = 0;
    /// Rows that it leaves at the upper and at the lower border of a block, where there is a neighbour.
    std::int64_t top = 0, bottom = 0;
  };
  std::shared_ptr<const std::vector<Part>> parts;
  std::int64_t together = 1;  ///< rows by which the front advances
  bool is_at_borders = false;
};

}  // namespace gamelan::engine::plan
