// SPDX-License-Identifier: BSD-3-Clause
// Runs the program of a fused loop over boxes of its iterations: finds where each operand lies, cell by cell.
// Used by the element-wise pass and by the first half of reductions.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "engine/steps/context.hpp"
#include "engine/tiles/tile_runner.hpp"

namespace gamelan::engine::steps {

class BoxRunner {
 public:
  /// `shape`: the extents of the whole iteration space. Both references must outlive the runner.
  BoxRunner(const StepContext& context, const plan::FusedLoop& fused, protocol::Shape shape);

  /// Copies small operands that the elements of `part`, this rank's part of the iterations, share
  /// (`x - y[:, None]`), and that lie with several ranks of one node: else the part would be cut where they
  /// are. From then on elements that are copied count as lying with this rank. To be called before anything
  /// else; for a pass whose pieces are shared, by all ranks. Waits for the owners. On several nodes it does
  /// nothing: there, what is local is computed while messages are under way.
  void copy_shared(const distribution::Box& part);
  /// The part of the box, `rank`'s part of the iterations, for which every operand lies with that rank.
  distribution::Box local_part(int rank, distribution::Box box) const;
  /// True when every operand of the box lies with this rank.
  bool is_local(const distribution::Box& box) const;
  /// The same of one operand in a slot.
  bool is_local(std::size_t operand, const distribution::Box& box) const;
  /// The iterations whose element of this operand lies with this rank; empty where there are none.
  const distribution::Box& own_box(std::size_t operand) const { return own_[placement_of(operand)].box; }
  /// Where the elements of a local box lie, for an operand in a slot. Not after copy_shared.
  distribution::Piece piece_of(std::size_t operand, const distribution::Box& box) const;
  /// Computes every element of the box. `scratch[f]`: where the values of fold f are written, beginning with
  /// the first of the box.
  void run(const distribution::Box& box, std::span<const tiles::Pointer> scratch = {});
  /// The same for a box of `owner`'s part, in that rank's blocks. Bytes are counted as shared as if the owner
  /// computed it, without copies.
  void run_for(int owner, const distribution::Box& box, std::span<const tiles::Pointer> scratch = {});
  /// Calls visit(part, cell) for the parts of such a box in which each operand lies in one piece, and counts
  /// their bytes. Computes nothing. The cell is valid during the call.
  using CellVisit = std::function<void(const distribution::Box&, const tiles::Cell&)>;
  void visit_cells(int owner, const distribution::Box& box, std::span<const tiles::Pointer> scratch,
                   const CellVisit& visit);
  /// Computes every element of a cell that a visit was given.
  void run_cell(const tiles::Cell& cell) { runner_.run(cell); }
  const tiles::Program& program() const { return fused_.program; }
  /// Computes what is local and notes the rest, which gives neighbours time to finish their part.
  void run_local(const distribution::Box& box);
  /// Computes what run_local has noted.
  void run_noted();

 private:
  struct Noted {
    distribution::Box cell;
    std::vector<distribution::Piece> pieces;
  };
  /// The part of an operand that lies with this rank, in its block or in a copy, and the piece at its first
  /// element. Within that part addresses are linear.
  struct Own {
    distribution::Box box;
    distribution::Piece piece;
    std::unique_ptr<std::byte[]> copy;  ///< if given, the piece lies there
  };
  /// The elements for which `rank` copies this operand, if it does so for its part.
  std::optional<distribution::Box> box_of_copy(std::size_t placement, int rank,
                                               const distribution::Box& part) const;
  distribution::Box box_at(std::size_t placement, int rank) const;
  std::size_t placement_of(std::size_t operand) const;
  static bool is_within(const distribution::Box& inner, const distribution::Box& outer);
  bool is_here(std::span<const distribution::Piece> pieces) const;
  /// Calls visit(cell, pieces) for the cells of the box. A local box is one cell, which is found without
  /// looking at any cut.
  template <class Visit>
  void for_each_cell(const distribution::Box& box, Visit visit);
  void count(const distribution::Box& cell, std::span<const distribution::Piece> pieces, int owner) const;
  std::int64_t offset_of(std::size_t placement, const distribution::Box& box) const;
  /// The cell of which the elements lie in `pieces`. Valid until the next call.
  tiles::Cell point(const distribution::Box& cell, std::span<const distribution::Piece> pieces,
                    const distribution::Box& box, std::span<const tiles::Pointer> scratch);
  void compute(const distribution::Box& cell, std::span<const distribution::Piece> pieces,
               const distribution::Box& box, std::span<const tiles::Pointer> scratch) {
    runner_.run(point(cell, pieces, box, scratch));
  }

  const StepContext& context_;
  const plan::FusedLoop& fused_;
  protocol::Shape shape_;
  tiles::Runner runner_;
  std::vector<const distribution::Placement*> placements_;  // of the operands in slots, in order
  std::vector<Own> own_;                                    // by placement
  std::vector<distribution::Piece> pieces_;                 // by placement, of the present local box
  std::vector<tiles::Pointer> pointers_;                    // by operand
  std::vector<const std::byte*> payloads_;                  // by operand: the first element
  std::vector<protocol::Shape> payload_strides_;            // by operand
  protocol::Shape first_, extents_;                         // of the present cell
  bool copies_shared_ = false;                              // by copy_shared, also on other ranks
  std::vector<Noted> noted_;
};

}  // namespace gamelan::engine::steps
