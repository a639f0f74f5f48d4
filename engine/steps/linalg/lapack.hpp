// SPDX-License-Identifier: BSD-3-Clause
// The routines of protocol/linalg.hpp on one matrix in local memory, by LAPACK. Knows nothing of
// distribution.
#pragma once
#include <cstdint>

#include "protocol/dtype.hpp"
#include "protocol/linalg.hpp"

namespace gamelan::engine::steps {

/// A matrix m x n, and what is wanted of it. LAPACK's matrices have their columns together.
struct MatrixTask {
  protocol::Linalg routine{};
  protocol::Dtype loop{};
  bool flag = false;  ///< eigh: the lower triangle counts
  std::int64_t m = 0, n = 0, right = 0;
  std::int64_t columns = 0;  ///< of the result
  void* a = nullptr;         ///< m x n; destroyed
  void* work = nullptr;  ///< the right-hand sides, m x right, where there are any, in room for max(m, n) x
                         ///< right; else room for the results; then for m + n elements
  std::int64_t work_elements = 0;  ///< before those
  void* out = nullptr;             ///< the result, rows together
  double rcond = 0;                ///< least_squares
  int ranks_at_once = 1;           ///< how many ranks of this node may compute a matrix at the same time
};
/// Throws Error{linalg} where NumPy raises LinAlgError, Error{memory}.
void compute(const MatrixTask& task);

/// Throws the error that the routine's data have caused, with NumPy's message.
[[noreturn]] void throw_failure(protocol::Linalg routine);
/// The value as LAPACK's 32-bit integer. Throws Error{value} when it does not fit.
int lapack_int(std::int64_t value);

}  // namespace gamelan::engine::steps
