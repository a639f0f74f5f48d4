// SPDX-License-Identifier: BSD-3-Clause
// Runs the program of a fused loop over boxes of its iterations: finds where each operand lies, cell by cell.
// Used by the element-wise pass and by the first half of reductions.
#pragma once
#include "engine/steps/context.hpp"
#include "engine/tiles/tile_runner.hpp"

namespace gamelan::engine::steps {

class BoxRunner {
 public:
  /// `shape`: the extents that the iterations count in. Both references must outlive the runner.
  BoxRunner(const StepContext& context, const plan::FusedLoop& fused, protocol::Shape shape);

  /// What of the box lies whole with `rank`, in every operand.
  distribution::Box local_part(int rank, distribution::Box box) const;
  /// True when everything the box needs lies with this rank.
  bool is_local(const distribution::Box& box) const;
  /// Where the elements of a local box lie in a slot operand.
  distribution::Piece piece_of(std::size_t operand, const distribution::Box& box) const;
  /// Computes every element of the box. `scratch[f]`: where the values of fold f go, from the first of the
  /// box on.
  void run(const distribution::Box& box, std::span<const tiles::Pointer> scratch = {});
  /// The same for a box of `owner`'s part, in that rank's blocks. Bytes count as shared as they do when he
  /// computes it.
  void run_for(int owner, const distribution::Box& box, std::span<const tiles::Pointer> scratch = {});
  /// Computes what is local and notes the rest, so that the neighbours have time to finish their part.
  void run_local(const distribution::Box& box);
  /// Computes what run_local has noted.
  void run_noted();

 private:
  struct Noted {
    distribution::Box cell;
    std::vector<distribution::Piece> pieces;
  };
  /// What of an operand lies with this rank, and the piece at its first element: within it, addresses are
  /// linear.
  struct Own {
    distribution::Box box;
    distribution::Piece piece;
  };
  bool is_here(std::span<const distribution::Piece> pieces) const;
  /// Calls visit(cell, pieces) for the cells of the box; one for a local box, found without looking at any
  /// cut.
  template <class Visit>
  void for_each_cell(const distribution::Box& box, Visit visit);
  void count(const distribution::Box& cell, std::span<const distribution::Piece> pieces, int owner) const;
  std::int64_t offset_of(std::size_t placement, const distribution::Box& box) const;
  void compute(const distribution::Box& cell, std::span<const distribution::Piece> pieces,
               const distribution::Box& box, std::span<const tiles::Pointer> scratch);

  const StepContext& context_;
  const plan::FusedLoop& fused_;
  protocol::Shape shape_;
  tiles::Runner runner_;
  std::vector<const distribution::Placement*> placements_;  // of the operands in slots, in order
  std::vector<Own> own_;                                    // by placement
  std::vector<distribution::Piece> pieces_;                 // by placement, of the local box at hand
  std::vector<tiles::Pointer> pointers_;                    // by operand
  std::vector<protocol::Shape> payload_strides_;            // by operand
  protocol::Shape first_, extents_;                         // of the cell at hand
  std::vector<Noted> noted_;
};

}  // namespace gamelan::engine::steps
