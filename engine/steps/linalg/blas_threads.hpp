// SPDX-License-Identifier: BSD-3-Clause
// Threads of the BLAS library for one matrix that one rank computes while the other ranks of its machine
// wait.
#pragma once
#include <cstdint>

namespace gamelan::engine::steps {

/// While it lives, BLAS and LAPACK calls of this thread use the cores of all ranks of the machine, at
/// most 16. How many depends on the CPUs that these ranks may use and on the `elements` of the matrix, not on
/// the number of ranks: results have the same bits then. Does nothing for small matrices, and where BLAS is
/// not OpenBLAS with threads of its own. One at a time on a machine: all single matrices are rank 0's
/// (tests/engine/plan_linalg_test.cpp).
class BlasThreads {
 public:
  explicit BlasThreads(std::int64_t elements);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 0;  // how many it had; 0: nothing was changed
};

/// Is BLAS OpenBLAS with threads of its own? Any thread may ask, at any time.
bool has_blas_threads();

}  // namespace gamelan::engine::steps
