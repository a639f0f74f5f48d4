// SPDX-License-Identifier: BSD-3-Clause
// Sums, means, extrema of short rows, with NumPy's bits: NumPy begins a loop for every row, which takes as
// long as 30 of its numbers. Knows neither Python nor NumPy.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gamelan::kernel {

enum class RowFold { sum, mean, max, min };

/// Sums of longer rows are added in parts by NumPy.
inline constexpr std::size_t longest_folded_row = 128;

/// Rows of `length` elements, one after another in each, `step` elements from row to row.
template <class Number>
struct FoldedRows {
  const Number* first;
  std::ptrdiff_t step;
  std::size_t rows, length;  ///< 1 <= length <= longest_folded_row
};

/// folds[r] = the fold of row r. `zero`: with what NumPy begins a sum, 0.0 or -0.0. False where the result
/// may not be NumPy's, or NumPy has something to tell: a floating-point error, a NaN, extrema among zeros of
/// both signs.
template <class Number>
bool fold_rows(RowFold fold, const FoldedRows<Number>& rows, Number zero, Number* folds);
/// sums[k] = the sum, or mean, of element k of all rows, added from the first row to the last. False where
/// there was a floating-point error.
template <class Number>
bool sum_over_rows(bool wants_mean, const FoldedRows<Number>& rows, Number zero, Number* sums);
/// places[r] = the first place of the largest (`wants_largest`), or smallest, element of row r. False where
/// there is a NaN.
template <class Number>
bool find_in_rows(bool wants_largest, const FoldedRows<Number>& rows, std::int64_t* places);

}  // namespace gamelan::kernel
