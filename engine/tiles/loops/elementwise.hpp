// SPDX-License-Identifier: BSD-3-Clause
// The typed inner loops of the op table and of casts, looked up by op and dtype for the instruction-set level
// in use (isa.hpp). The tile interpreter and the folds call them on contiguous pieces that fit in cache. They
// know nothing of shapes.
#pragma once
#include "engine/tiles/loops/loop_types.hpp"
#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

/// nullptr where the row's types exclude the dtype, where the op is not element-wise, and where no loop with
/// this single operand was compiled (the caller then fills an array with it).
Loop find_loop(protocol::Op op, protocol::Dtype loop, Single single = Single::none);
/// The loop over x, y, z; bit k of `singles`: operand k is a single element. Its bits are those of the two
/// loops. nullptr unless both ops are add, subtract or multiply, in float32 or float64.
Loop find_pair_loop(const Pair& pair, protocol::Dtype loop, unsigned singles);
/// The dtype of the op's result when it computes in `loop`.
protocol::Dtype result_dtype(protocol::Op op, protocol::Dtype loop);

Cast find_cast(protocol::Dtype from, protocol::Dtype to);

}  // namespace gamelan::engine::tiles
