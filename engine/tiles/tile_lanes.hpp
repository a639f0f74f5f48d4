// SPDX-License-Identifier: BSD-3-Clause
// Folds the values of a program while they are computed. A reduction block is a run, of which element i goes
// to lane i % 32 (loops/fold.hpp). Here machine code adds each value to its lane at once, so that values need
// neither scratch memory nor a second pass. The bits are those of fold_runs. Only where the whole program is
// one trace of machine code (tile_trace.hpp); whoever asks must be able to do it in two passes.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/jit/trace.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/tile_instances.hpp"

namespace gamelan::engine::tiles {

static_assert(lane_count == jit::wrapped_elements);

/// A fold of the values that a program stores to `operand`. `dtype`: of the lanes; the operand's, or int64
/// where truth values are counted.
struct LaneFold {
  int operand = -1;
  protocol::Op op{};
  protocol::Dtype dtype{};
};

/// The value of a lane to which nothing has been added yet, with which op(value, x) is x in every bit: -0.0
/// for sums. None where lanes do not fold with `op`.
std::optional<double> neutral(protocol::Op op);
/// True for a program that may become one trace, and whose folds may be in lanes. Says nothing about where
/// operands lie. Depends on what is compiled (tile_translation.hpp), which is the same on all ranks.
bool suits_lanes(const Program& program, std::span<const LaneFold> folds);

/// How many cells have been folded while they were computed in this process so far.
std::uint64_t cells_folded_at_once();

/// How the rows of a cell are cut into runs.
struct LaneRuns {
  std::size_t row_axis = 0;     ///< of the cell: from here on elements are one row, in C order
  std::int64_t column = 0;      ///< of the cell's first element within its row
  std::int64_t run_length = 0;  ///< run j of a row begins at column j * run_length
  /// By run of a whole row, up to the cell's last: element i of the run is added to the lane in memory at
  /// (i - first_lanes[j]) % lane_count. So the run's lane first_lanes[j] stands first in memory.
  std::span<const std::int64_t> first_lanes;
};

class LaneRunner {
 public:
  /// Of a program and folds that suit. `folds` is copied; it must be the same whenever the program is given,
  /// because machine code is kept with the program.
  LaneRunner(const Program& program, std::span<const LaneFold> folds);
  /// Computes the cell and adds to the lanes. The pointer of a fold's operand gives the first of the
  /// lane_count lanes of run 0 of the first row, in the fold's dtype; those of run 1 follow. Its strides lead
  /// to other rows. Lanes are neutral or continued. Raises flags of the processor and reads none. False
  /// where nothing was computed: the program has not run often enough to be compiled, is more than one trace,
  /// or writes over what it reads; operands lie otherwise than in rows; a run begins between lanes; or what
  /// is to be stored past the cache does not begin at a line of it in every row.
  bool run(const Cell& cell, const LaneRuns& runs);

 private:
  bool find_rows(const Cell& cell, std::size_t row_axis);
  bool is_in_place(const Cell& cell) const;
  bool find_pieces(const LaneRuns& runs);
  bool begins_lines(const Cell& cell, std::size_t row_axis) const;
  const jit::Code* code_for(const Instance& instance) const;
  bool fill_repeated(const Instance& instance, const Cell& cell) const;
  void find_moves(const Cell& cell, std::size_t row_axis);

  const std::vector<LaneFold> folds_;
  const std::shared_ptr<Translation> translation_;
  Instances instances_;
  std::vector<bool> is_read_, is_written_, is_fold_;  // by operand
  // Of the present cell.
  std::vector<OperandTraits> traits_;
  std::vector<std::int64_t> steps_;  // by operand: bytes to the next element of a row; 0: one for all
  std::vector<std::byte*> rows_;     // by operand: the present row
  std::vector<std::int64_t> at_;     // the present row, along the axes before those of a row
  std::vector<std::int64_t> moves_;  // by such an axis and operand: bytes to the row where its index steps
  std::int64_t row_length_ = 0, row_count_ = 0;
  struct Piece {
    std::int64_t first, count, lane;  ///< lane: counted from the first of run 0
  };
  std::vector<Piece> pieces_;  // of a row
};

}  // namespace gamelan::engine::tiles
