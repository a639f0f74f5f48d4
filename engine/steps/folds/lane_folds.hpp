// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose values are folded while they are computed (engine/tiles/tile_lanes.hpp). Each reduction
// block of a region has lanes of its own, so a region may be larger than where values are stored first. What
// cannot be added so, as a row of a stencil's rim that begins between lanes, is computed into scratch memory
// and then added to the lanes. The bits are those of the two passes, fold_blocks behind FoldValues::compute.
#pragma once
#include <optional>
#include <vector>

#include "engine/steps/folds/fold_values.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/tile_lanes.hpp"

namespace gamelan::engine::steps {

class LaneFolds {
 public:
  /// All references must outlive this object. `whole`: as of `values`.
  LaneFolds(const StepContext& context, const plan::FoldBlocks& fold, FoldValues& values,
            const BoxRunner& whole);

  /// False where no region of the step can be folded while it is computed. The same on all ranks of a node.
  bool exist() const { return whole_.has_value(); }
  /// Computes the elements of a region of `owner`'s part, and writes the partials of fold f to *partials[f],
  /// as fold_blocks does. `scratch`: as of FoldValues::compute; only some of it is written. False where the
  /// partials must be found in two passes: the programs are not compiled yet, or a floating-point error was
  /// met, whose command they find.
  bool fold(const distribution::Box& elements, const protocol::Shape& grid, int owner,
            std::span<const tiles::Pointer> scratch, std::span<std::vector<std::byte>* const> partials);

 private:
  bool find_row_axis();
  std::vector<tiles::LaneFold> lane_folds(const plan::FusedLoop& values) const;
  void begin(const distribution::Box& elements, std::span<const FoldValues::Part> parts);
  void add_part(const FoldValues::Part& part, int owner, std::span<const tiles::Pointer> scratch);
  bool fold_cell(const FoldValues::Part& part, const tiles::Cell& cell);
  void add_values(std::span<const tiles::Pointer> scratch);
  void add_run(std::size_t fold, const std::byte* values, std::int64_t row, std::int64_t column,
               std::int64_t count);
  /// The part of the workspace for the lanes of a fold; behind them all, for a copy of lanes.
  std::size_t part_of_lanes(std::size_t fold) const;
  const std::byte* in_order(std::size_t fold) const;
  void finish(const protocol::Shape& grid, std::span<std::vector<std::byte>* const> partials);
  std::int64_t position(std::size_t first_axis, std::size_t last_axis) const;
  std::int64_t item(std::size_t fold) const {
    return static_cast<std::int64_t>(protocol::size_of(fold_.folds[fold].loop));
  }

  const StepContext& context_;
  const plan::FoldBlocks& fold_;
  FoldValues& values_;
  std::size_t row_axis_ = 0;     // from here on the elements of a reduction block are consecutive
  std::int64_t run_length_ = 1;  // elements of a reduction block
  std::vector<tiles::LaneFold> whole_folds_, interior_folds_;
  std::optional<tiles::LaneRunner> whole_, interior_;
  std::vector<tiles::FoldRows> adders_;  // by fold
  bool counts_ = false;                  // values in scratch memory may be truth values to be counted
  bool has_failed_ = false;              // this region, and so the others of the step, take two passes
  // Of the present region.
  protocol::Shape extents_;
  std::int64_t rows_ = 0, row_length_ = 0, runs_ = 0;  // runs: of a row
  std::vector<std::int64_t> first_lanes_;              // by run
  std::vector<std::byte*> lanes_;                      // by fold: of the workspace
  // Of the present cell.
  protocol::Shape at_, sizes_;  // where it begins among the elements of the region
  std::vector<tiles::Pointer> pointers_;
  std::vector<protocol::Shape> lane_strides_;  // by fold
};

}  // namespace gamelan::engine::steps
