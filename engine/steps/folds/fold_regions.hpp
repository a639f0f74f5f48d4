// SPDX-License-Identifier: BSD-3-Clause
// In which order a rank folds its reduction blocks: region by region, where each region is a box of whole
// reduction blocks. Pure arithmetic, with the same result on every rank. Used by run_fold.
#pragma once
#include "engine/plan/plan.hpp"

namespace gamelan::engine::steps {

class FoldRegions {
 public:
  /// A region has at most `most_elements` elements, unless one reduction block (or one line, where reduction
  /// blocks must not be cut) has more.
  FoldRegions(const plan::FoldBlocks& fold, int rank, std::int64_t most_elements);
  /// The number of regions; 0 for a rank that takes no part.
  std::int64_t count() const { return count_; }
  /// All of them: this rank's reduction blocks. Empty, perhaps without axes, where count() is 0.
  const distribution::Box& blocks() const { return blocks_; }
  /// Region `number` (0 <= number < count()) as a box that counts in reduction blocks.
  distribution::Box region(std::int64_t number) const;

 private:
  distribution::Box blocks_;          // of the rank
  protocol::Shape extents_, counts_;  // per axis: reduction blocks in a region; regions
  std::int64_t count_ = 0;
};

}  // namespace gamelan::engine::steps
