// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/folds/fold_regions.hpp"

#include <algorithm>

namespace gamelan::engine::steps {

FoldRegions::FoldRegions(const plan::FoldBlocks& fold, int rank, std::int64_t most_elements) {
  const auto& layout = fold.values.iterations;
  if (!layout.takes_part(rank)) return;
  blocks_ = layout.box(rank);
  if (is_empty(blocks_)) return;
  const auto dims = blocks_.size();
  extents_.assign(dims, 1);
  counts_.assign(dims, 1);
  // A region grows from the last axis outwards, so that its values are contiguous in scratch.
  std::int64_t elements = 1;
  bool is_full = true;
  for (std::size_t k = dims; k-- > 0;) {
    const auto per_block = fold.block_extents[k], size = blocks_[k].size();
    const bool must_be_whole = fold.is_complete && fold.reduced[k];
    if (must_be_whole)
      extents_[k] = size;
    else if (is_full)
      extents_[k] = std::clamp<std::int64_t>(most_elements / (elements * per_block), 1, size);
    elements *= extents_[k] * per_block;
    is_full = is_full && extents_[k] == size;
    counts_[k] = (size + extents_[k] - 1) / extents_[k];
  }
  count_ = protocol::element_count(counts_);
}

distribution::Box FoldRegions::region(std::int64_t number) const {
  distribution::Box region(blocks_.size());
  for (std::size_t k = blocks_.size(); k-- > 0;) {
    const auto first = blocks_[k].first + number % counts_[k] * extents_[k];
    region[k] = {first, std::min(first + extents_[k], blocks_[k].last)};
    number /= counts_[k];
  }
  return region;
}

}  // namespace gamelan::engine::steps
