// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on operands that broadcast along short rows (points and a centre, pixels and weights), with
// NumPy's bits: NumPy begins a loop for every row, which takes as long as 30 of its numbers. Knows neither
// Python nor NumPy.
#pragma once
#include <array>
#include <cstddef>

#include "kernel/local/operations.hpp"

namespace gamelan::kernel {

inline constexpr std::size_t most_row_axes = 4;

/// An operand along the axes of the result, the rows last. Steps in elements; 0 where it is broadcast.
struct RowOperand {
  const double* first;
  std::array<std::ptrdiff_t, most_row_axes> steps;  ///< along the last axis 0 or 1
};

/// result[i] = left[i] op right[i], the elements of the result one after another. `extents`: at least one
/// element each. False when there was a floating-point error of which somebody may want to hear. `result`
/// must not overlap an operand.
bool compute_rows(Arithmetic what, const std::array<std::size_t, most_row_axes>& extents,
                  const RowOperand& left, const RowOperand& right, double* result);

}  // namespace gamelan::kernel
