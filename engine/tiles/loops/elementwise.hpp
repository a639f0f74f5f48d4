// SPDX-License-Identifier: BSD-3-Clause
// The typed inner loops of the op table and of casts, looked up by op and dtype for the instruction-set level
// in use (isa.hpp). The tile interpreter and the folds call them on pieces that fit in cache; they know
// nothing of shapes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/dtype.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::exec {

/// What nullary ops need. Element j of a loop has linear index `index + j * step` in the array it is made
/// for.
struct NullaryParams {
  const void* first = nullptr;   ///< scalar a, of the loop dtype
  const void* second = nullptr;  ///< scalar b
  std::uint64_t key = 0;         ///< of the random stream
  std::int64_t offset = 0;       ///< numbers of that stream already used up
  std::int64_t index = 0;
  std::int64_t step = 1;
};

/// out[j] = op(in[0][j], in[1][j], ...) for j < n: contiguous operands of the loop dtype (the condition of
/// `where`: bool), contiguous result of result_dtype. `out` may be exactly an operand of the same element
/// size, never overlap one otherwise. `params` matters to nullary ops only.
using Loop = void (*)(const void* const* in, void* out, std::size_t n, const NullaryParams* params);

/// A binary loop may take one operand as a single element.
enum class Single : std::uint8_t { none, left, right };

/// nullptr where the row's types exclude the dtype, where the op is no element-wise one, and where no loop
/// with that single operand was compiled (the caller then fills an array with it).
Loop find_loop(protocol::Op op, protocol::Dtype loop, Single single = Single::none);
/// Two binary operations in one pass: outer(inner(x, y), z), or outer(z, inner(x, y)) when not
/// `is_inner_left`.
struct Pair {
  protocol::Op inner{}, outer{};
  bool is_inner_left = true;
};
/// The loop over x, y, z; bit k of `singles`: operand k is a single element. Its bits are those of the two
/// loops. nullptr unless both ops are add, subtract or multiply, in float32 or float64.
Loop find_pair_loop(const Pair& pair, protocol::Dtype loop, unsigned singles);
/// What the op gives when it computes in `loop`.
protocol::Dtype result_dtype(protocol::Op op, protocol::Dtype loop);

/// to[j] = from[j] for j < n with NumPy's rules of astype(casting="unsafe"); strides in bytes, any sign, 0
/// for a repeated source. The two must not overlap unless they are the same elements and the same dtype.
using Cast = void (*)(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                      std::ptrdiff_t to_stride, std::size_t n);
Cast find_cast(protocol::Dtype from, protocol::Dtype to);

}  // namespace gamelan::engine::exec
