// SPDX-License-Identifier: BSD-3-Clause
// How the bricks that a rank folds are taken in turn: region by region, each of whole bricks. Pure
// arithmetic, the same whoever asks; used by run_fold.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::engine::exec {

class FoldRegions {
 public:
  /// A region has at most so many elements, unless a single brick (or, where bricks must not be cut, a line)
  /// has more.
  FoldRegions(const plan::FoldBricks& fold, int rank, std::int64_t most_elements);
  /// None for a rank that takes no part.
  std::int64_t count() const { return count_; }
  /// In bricks; 0 <= number < count().
  dist::Box region(std::int64_t number) const;

 private:
  dist::Box bricks_;                  // of the rank
  protocol::Shape extents_, counts_;  // per axis: bricks in a region, regions
  std::int64_t count_ = 0;
};

}  // namespace gamelan::engine::exec
