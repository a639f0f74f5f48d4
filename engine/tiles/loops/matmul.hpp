// SPDX-License-Identifier: BSD-3-Clause
// The product of two matrices in local memory, for every dtype: by OpenBLAS where it supports the dtype, else
// by plain blocked loops. Called by run_matmul.cpp for each pair of blocks. It knows nothing of distribution.
#pragma once
#include <cstdint>

#include "protocol/dtype.hpp"

namespace gamelan::engine::tiles {

/// A matrix in local memory: rows `leading` elements apart; if it is transposed, columns are, and the
/// elements of a column are adjacent.
struct MatrixInMemory {
  const void* data;
  std::int64_t leading;
  bool is_transposed = false;
};

/// c (m x n) = a (m x k) times b (k x n), plus c when `accumulate`. Row-major, leading dimensions in
/// elements, each at least the length of a row. Integers wrap; bool is or of ands, as NumPy's; float16
/// accumulates in float. k == 0 gives zeros. c must not overlap a or b. Equal to tolerance between machines,
/// not bitwise.
void gemm(protocol::Dtype dtype, std::int64_t m, std::int64_t n, std::int64_t k, const MatrixInMemory& a,
          const MatrixInMemory& b, void* c, std::int64_t ldc, bool accumulate);
inline void gemm(protocol::Dtype dtype, std::int64_t m, std::int64_t n, std::int64_t k, const void* a,
                 std::int64_t lda, const void* b, std::int64_t ldb, void* c, std::int64_t ldc,
                 bool accumulate) {
  gemm(dtype, m, n, k, {a, lda}, {b, ldb}, c, ldc, accumulate);
}

/// c (m x m) = a (m x k) times its own transpose, plus c when `accumulate` (c is then symmetric): half the
/// work, in float32 and float64. False, and nothing done, in other dtypes.
bool gram(protocol::Dtype dtype, std::int64_t m, std::int64_t k, const MatrixInMemory& a, void* c,
          std::int64_t ldc, bool accumulate);

}  // namespace gamelan::engine::tiles
