// SPDX-License-Identifier: BSD-3-Clause
// The layout that a user asked for (`distribution=`), as the integers of a `redistribute` command: over which
// ranks, in how many pieces along each axis, and where it is cut. How many ranks there are is not known here.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::protocol {

/// The pieces belong to the ranks from `first_rank` on, in C order over the grid; or every rank holds the
/// whole array (`is_replicated`).
struct ChosenLayout {
  struct Axis {
    int parts = 1;
    std::vector<std::int64_t> cuts;  ///< parts + 1 indices from 0 to the extent, ascending; empty when even
  };
  Shape extents;  ///< of the elements in C order, as they are cut; an axis that is dealt out in turns counts
                  ///< as three of these
  std::vector<Axis> axes;
  int first_rank = 0;
  bool is_replicated = false;

  /// How many ranks the layout needs.
  std::int64_t ranks() const;
};

/// Reads a layout from its integers: {first rank, 1 when replicated else 0, number of axes, then for each
/// axis: extent, parts, 0 or the number of inner cuts (which is parts - 1), those cuts}. nullopt when the
/// integers are not of this form.
std::optional<ChosenLayout> chosen_layout(std::span<const std::int64_t> integers);

}  // namespace gamelan::protocol
