// SPDX-License-Identifier: BSD-3-Clause
// Who keeps copies for whom, who sends which pieces, and which boxes of an array a range of its bytes is.
// Pure arithmetic of facts that all ranks have, so all of them find the same.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/distribution/axis_layout.hpp"

namespace gamelan::engine::steps {

/// The rank of the next node that keeps this rank's copies (-1: there is no other node), and those whose
/// copies it keeps. The node after the last one is the first.
struct Buddies {
  int target = -1;
  std::vector<int> sources;
};
/// `leaders`: the lowest rank of each rank's node.
Buddies buddies_of(int rank, std::span<const int> leaders);
/// The ranks of the node before that of `rank`; none where there is one node.
std::vector<int> ranks_before(int rank, std::span<const int> leaders);

/// A whole piece that a rank has found on its node.
struct FoundPiece {
  std::int64_t first, bytes;  ///< of the array in C order
  std::int64_t rank;
};
/// One piece after the other, each from one rank, that together are the array's `bytes` bytes. Where it ends
/// early, nobody has what follows. Shares the work among the ranks that have the same piece.
std::vector<FoundPiece> chosen_pieces(std::vector<FoundPiece> found, std::int64_t bytes);

/// Visits the boxes, in C order, that make up the elements from `first` up to `last` of an array in C order.
void for_each_box(const distribution::Shape& extents, std::int64_t first, std::int64_t last,
                  const std::function<void(const distribution::Box&)>& visit);

}  // namespace gamelan::engine::steps
