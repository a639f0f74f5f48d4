// SPDX-License-Identifier: BSD-3-Clause
// How the user wants an array to lie, as the integers of a `redistribute` command: over which ranks, in how
// many pieces along each axis, and where it is cut. Who has how many ranks is not known here.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/view.hpp"

namespace gamelan::protocol {

/// Pieces lie with ranks from `first_rank` on, in C order over the grid; or every rank holds all of it.
struct ChosenLayout {
  struct Axis {
    int parts = 1;
    std::vector<std::int64_t> cuts;  ///< parts + 1 indices from 0 to the extent, ascending; empty when even
  };
  Shape extents;  ///< of the elements in C order, as they are cut: an axis that is dealt out in turns is
                  ///< three of these
  std::vector<Axis> axes;
  int first_rank = 0;
  bool is_replicated = false;

  /// Ranks that it takes.
  std::int64_t ranks() const;
};

/// {first rank, 1 when replicated else 0, dimensions, then for each axis: extent, parts, 0 or the number of
/// inner cuts (then parts - 1), those cuts}; nothing when the integers are no such thing.
std::optional<ChosenLayout> chosen_layout(std::span<const std::int64_t> integers);

}  // namespace gamelan::protocol
