// SPDX-License-Identifier: BSD-3-Clause
// How the reduction blocks that a rank folds are taken in turn: region by region, each of whole reduction
// blocks. Pure arithmetic, the same whoever asks; used by run_fold.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::engine::steps {

class FoldRegions {
 public:
  /// A region has at most so many elements, unless a single reduction block (or, where reduction blocks must
  /// not be cut, a line) has more.
  FoldRegions(const plan::FoldBlocks& fold, int rank, std::int64_t most_elements);
  /// None for a rank that takes no part.
  std::int64_t count() const { return count_; }
  /// In reduction blocks; 0 <= number < count().
  distribution::Box region(std::int64_t number) const;

 private:
  distribution::Box blocks_;          // of the rank
  protocol::Shape extents_, counts_;  // per axis: reduction blocks in a region, regions
  std::int64_t count_ = 0;
};

}  // namespace gamelan::engine::steps
