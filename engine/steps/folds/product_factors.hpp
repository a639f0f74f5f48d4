// SPDX-License-Identifier: BSD-3-Clause
// A sum of products of two operands (`(x * x).sum()`, `(A * x).sum(axis=1)`): which operands are multiplied,
// and where their elements lie, so that they are multiplied as they are added up. A factor that many rows
// share, and that lies with several ranks or with gaps, is copied once. Used by run_fold.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "engine/steps/box_runner.hpp"

namespace gamelan::engine::steps {

class ProductFactors {
 public:
  /// All references must outlive this object. `whole` runs the program of `fold.values`.
  ProductFactors(const StepContext& context, const plan::FoldBlocks& fold, const BoxRunner& whole);

  /// False where the step is no sum of products.
  bool exist() const { return !operands_.empty(); }

  /// Copies a factor if `part`, this rank's part of the elements, uses each of its elements several times, if
  /// it cannot be read where it lies, and if both factors can be read then. To be called before the first
  /// at(), and not in a chain of rows. Waits for the owners. The copies are parts 1 and 2 of the workspace;
  /// the scratch of the step's one fold is part 0.
  void copy_shared(const distribution::Box& part);

  /// Where a factor of some elements lies.
  struct Place {
    const std::byte* first;
    protocol::Shape strides;  ///< bytes
  };
  /// Where both factors of `elements` lie; nullopt unless the elements of each reduction block are adjacent
  /// and with this rank, in both.
  std::optional<std::array<Place, 2>> at(const distribution::Box& elements) const;

 private:
  struct Copy {
    const std::byte* first = nullptr;  ///< of the workspace; nullptr: not copied
    distribution::Box box;             ///< the elements that have their factor in it
    protocol::Shape strides;           ///< bytes; 0 along axes that share
    std::int64_t bytes = 0;
  };
  bool are_runs(const protocol::Shape& strides, const protocol::Shape& extents) const;
  bool lies_well(std::size_t which, const distribution::Box& part) const;
  Copy place_for_copy(std::size_t which, const distribution::Box& part) const;
  std::optional<Place> place_of(std::size_t which, const distribution::Box& elements) const;

  const StepContext& context_;
  const plan::FoldBlocks& fold_;
  const BoxRunner& whole_;
  std::vector<std::size_t> operands_;  // two, or none
  Copy copies_[2];
};

}  // namespace gamelan::engine::steps
