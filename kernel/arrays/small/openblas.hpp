// SPDX-License-Identifier: BSD-3-Clause
// The OpenBLAS with which NumPy computes small products in this process, if it is one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gamelan::kernel {

/// Every OpenBLAS that this process has loaded.
std::vector<std::string> openblas_paths();

/// While it lives, a quick product has one thread. OpenBLAS divides 9,216 multiplications already, and up to
/// 20,000 its threads need longer to begin and to end together than the product takes. Nothing is changed for
/// larger ones, and where NumPy has another BLAS. Goes by the size alone, because the last bits of a product
/// depend on the number of threads. GIL held.
class OneThread {
 public:
  explicit OneThread(std::int64_t multiplications);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 1;  // threads
};

}  // namespace gamelan::kernel
