// SPDX-License-Identifier: BSD-3-Clause
// Sums of the rows that masks name (`np.where(mask[:, None], x, 0).sum(axis=0)`): which operands are the mask
// and the rows of each fold of the step, and where they lie. So no row is read for nothing, and what `where`
// would give is written nowhere. Used by run_fold.
#pragma once
#include <vector>

#include "engine/steps/box_runner.hpp"

namespace gamelan::engine::steps {

class MaskedSums {
 public:
  /// All references must outlive this object. `whole` runs the program of `fold.values`.
  MaskedSums(const StepContext& context, const plan::FoldBlocks& fold, const BoxRunner& whole);

  /// False where a fold of the step is no such sum.
  bool exist() const { return !masked_.empty(); }
  /// True when `elements` can be added where they lie: with this rank, rows of adjacent elements.
  bool are_at(const distribution::Box& elements) const;
  /// Writes one partial of each fold for each reduction block of `elements` and each row element, in C order.
  /// To be called where are_at. Raises the processor's flags of floating-point errors.
  void add(const distribution::Box& elements, const std::vector<std::vector<std::byte>*>& partials) const;

 private:
  struct Masked {
    std::size_t mask, rows;  ///< operands
  };
  /// Folds of the same rows.
  using Group = std::vector<std::size_t>;
  void find_groups();
  void add(const Group& group, const distribution::Box& elements,
           const std::vector<std::vector<std::byte>*>& partials) const;

  const StepContext& context_;
  const plan::FoldBlocks& fold_;
  const BoxRunner& whole_;
  std::vector<Masked> masked_;  // by fold, or none
  std::vector<Group> groups_;
};

}  // namespace gamelan::engine::steps
