// SPDX-License-Identifier: BSD-3-Clause
// The types of the inner loops over contiguous tiles: element-wise ops, pairs of them, casts. Tables of them
// are looked up by elementwise.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "protocol/ops.hpp"

namespace gamelan::engine::tiles {

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

/// Two binary operations in one pass: outer(inner(x, y), z), or outer(z, inner(x, y)) when not
/// `is_inner_left`.
struct Pair {
  protocol::Op inner{}, outer{};
  bool is_inner_left = true;
};

/// to[j] = from[j] for j < n with NumPy's rules of astype(casting="unsafe"); strides in bytes, any sign, 0
/// for a repeated source. The two must not overlap unless they are the same elements and the same dtype.
using Cast = void (*)(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                      std::ptrdiff_t to_stride, std::size_t n);

}  // namespace gamelan::engine::tiles
