// SPDX-License-Identifier: BSD-3-Clause
// Additions, subtractions, multiplications and divisions of a few numbers of float64, with NumPy's bits (but
// for those of a NaN): the loop of a few hundred elements takes less time than NumPy's way to its own. Knows
// neither Python nor NumPy.
#pragma once
#include <cstddef>

#include "kernel/local/operations.hpp"

namespace gamelan::kernel {

/// Numbers in memory, one after the other; or one number for all elements.
struct Numbers {
  const double* first;
  bool is_one;
};

/// result[i] = left[i] op right[i]. False when there was an overflow, an underflow, a division by zero or an
/// invalid operation, of which somebody may want to hear. `result` must not overlap an operand.
bool compute(Arithmetic what, Numbers left, Numbers right, double* result, std::size_t count);

}  // namespace gamelan::kernel
