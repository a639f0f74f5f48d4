// SPDX-License-Identifier: BSD-3-Clause
// In place of vector_math.hpp where there is no libmvec (other processors than x86): no row of the op table
// is computed by whole vectors.
#pragma once
#include <cmath>
#include <cstddef>

#include "engine/tiles/loops/element.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <protocol::Op op, class T>
struct VectorFunction {
  static constexpr bool exists = false;
};

template <protocol::Op op, class T>
void map_vectors(const T* x, T* out, std::size_t n) = delete;

/// out[i] = hypot(x[i], y[i]).
template <protocol::Op op, class T>
void map_vectors(const T* x, const T* y, T* out, std::size_t n) {
  static_assert(op == protocol::Op::hypot);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::hypot(x[i], y[i]);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
