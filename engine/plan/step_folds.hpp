// SPDX-License-Identifier: BSD-3-Clause
// The two halves of a reduction: first reduction blocks are folded where they lie, then the partials of each
// result.
#pragma once
#include "engine/plan/step_fused.hpp"

namespace gamelan::engine::plan {

/// Partials of squared deviations are moments (engine/tiles/loops/moments.hpp): float64, with their parts
/// along an axis of their own.
inline constexpr std::int64_t moment_parts = 4;
inline bool has_moments(Op fold) { return fold == Op::squared_deviations; }
/// Where that axis lies among those of the partials: before a last axis that is kept, so that loops run along
/// it; else it is the last one.
inline std::size_t moments_axis(const std::vector<bool>& reduced) {
  return reduced.size() - (reduced.empty() || reduced.back() ? 0 : 1);
}

/// First half of reductions over the same axes. For each of them the program computes values into scratch,
/// reduction block by reduction block (and may store arrays on the way). Each reduction block is folded to
/// one element of `partials`. The axes of `partials` are the iteration axes, except that a reduced axis
/// counts reduction blocks. Where these are the results, in the same blocks of memory, there is no second
/// half.
struct FoldBlocks {
  struct Fold {
    Op op{};  ///< the binary op, or squared_deviations
    Dtype loop{};
    int partials = -1;       ///< slot
    int command = -1;        ///< the command of the batch to which floating-point errors of the fold belong
    bool is_result = false;  ///< `partials` is the result itself: it has no reduced axes
  };
  FusedLoop values;           ///< `values.iterations` is the layout of the reduction blocks
  Shape extents;              ///< of the iteration space
  std::vector<bool> reduced;  ///< per axis
  Shape block_extents;        ///< extent per axis; 1 on kept axes
  std::vector<Fold> folds;
  bool is_complete = false;  ///< reduction blocks are folded to one element at once: a reduced axis of
                             ///< `partials` has extent 1
  Layout kept;               ///< of the partials, the reduced axes included
};

/// Reduction, second half: the partials of each output element are folded by a fixed tree and cast to the
/// output.
struct FoldFinish {
  int partials = -1;
  Operand input;  ///< the partials, iteration space = kept axes, reduced axes, then that of moments if any
  std::size_t kept_axes = 0;
  Layout iterations;  ///< over the kept axes
  Operand output;
  Dtype output_dtype{};  ///< of the written view
  Op fold{};
  Dtype loop{};
  bool is_empty = false;  ///< nothing to fold: the identity
  int command = -1;       ///< as of FoldBlocks::Fold
};

}  // namespace gamelan::engine::plan
