// SPDX-License-Identifier: BSD-3-Clause
// Computes the values that a reduction folds, box by box, into scratch memory. Where the pass has an interior
// (engine/plan/passes/interior.cpp), a box has several parts: the interior's program writes most of it, and
// the other program the rim. The boxes of a rank follow each other along the first axis, and their parts only
// move.
#pragma once
#include <optional>
#include <vector>

#include "engine/steps/box_runner.hpp"

namespace gamelan::engine::steps {

class FoldValues {
 public:
  /// All references must outlive this object. `whole` runs the program of `fold.values` itself.
  FoldValues(const StepContext& context, const plan::FoldBlocks& fold, BoxRunner& whole);

  /// True when every operand of these elements lies with this rank.
  bool is_local(const distribution::Box& elements);
  /// Computes `elements` of `owner`'s part. `scratch[f]`: where the values of fold f are written, in C order.
  void compute(const distribution::Box& elements, int owner, std::span<const tiles::Pointer> scratch);

  struct Part {
    BoxRunner* runner;
    distribution::Box box;  ///< in iterations of the runner
    protocol::Shape from;   ///< the first element of the box within the elements
  };
  /// The parts of `elements`, of which each is computed by one program. Valid until the next call.
  std::span<const Part> parts(const distribution::Box& elements);
  /// `scratch` from the first element of a part on. Valid until the next call.
  std::span<const tiles::Pointer> targets(const Part& part, std::span<const tiles::Pointer> scratch);
  /// The runner of the interior's program, if there is one.
  const BoxRunner* interior() const { return interior_ ? &*interior_ : nullptr; }

 private:
  bool has_interior(const distribution::Box& elements);
  void find_parts(const distribution::Box& elements);
  bool move_parts(const distribution::Box& elements);

  BoxRunner& whole_;
  std::optional<BoxRunner> interior_;
  distribution::Box interior_box_;  ///< in iterations of the whole
  protocol::Shape interior_first_;
  distribution::Box part_;   ///< what has_interior found, in iterations of the interior
  std::vector<Part> parts_;  ///< of the last elements that were computed
  distribution::Box last_;   ///< these elements
  std::vector<tiles::Pointer> targets_;
};

}  // namespace gamelan::engine::steps
