// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/row_folds.hpp"

#include <array>
#include <cmath>

#include "kernel/local/operations.hpp"
#include "kernel/local/row_length.hpp"

namespace gamelan::kernel {
namespace {

/// In NumPy's order (pairwise summation): eight sums side by side, then these in pairs, then the rest.
template <class Number, class Length>
Number sum_of(const Number* row, Length length) {
  constexpr std::size_t sums_at_once = 8;
  std::size_t k = 1;
  Number sum = row[0];
  if (length >= sums_at_once) {
    std::array<Number, sums_at_once> sums;
    for (std::size_t j = 0; j < sums_at_once; ++j) sums[j] = row[j];
    for (k = sums_at_once; k + sums_at_once <= length; k += sums_at_once)
      for (std::size_t j = 0; j < sums_at_once; ++j) sums[j] += row[k + j];
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  }
  for (; k < length; ++k) sum += row[k];
  return sum;
}

template <class Number>
bool has_zeros_of_both_signs(const Number* row, std::size_t length) {
  bool has_positive = false, has_negative = false;
  for (std::size_t k = 0; k < length; ++k)
    if (row[k] == 0) (std::signbit(row[k]) ? has_negative : has_positive) = true;
  return has_positive && has_negative;
}

/// False for a row with a NaN.
template <bool wants_largest, class Number, class Length>
bool find_extremum(const Number* row, Length length, Number& extremum) {
  Number best = row[0];
  bool is_known = best == best;
  for (std::size_t k = 1; k < length; ++k) {
    const Number each = row[k];
    is_known &= each == each;
    best = wants_largest ? (each > best ? each : best) : (each < best ? each : best);
  }
  extremum = best;
  return is_known;
}

template <bool wants_largest, class Number, class Length>
bool extrema(const FoldedRows<Number>& rows, Length length, Number* folds) {
  const Number* row = rows.first;
  for (std::size_t r = 0; r < rows.rows; ++r, row += rows.step) {
    if (!find_extremum<wants_largest>(row, length, folds[r])) return false;
    if (folds[r] == 0 && has_zeros_of_both_signs(row, length)) return false;
  }
  return true;
}

/// The length is no constant here: of known ones the compiler makes branches, which random numbers take at
/// random.
template <bool wants_largest, class Number>
bool places_of_extrema(const FoldedRows<Number>& rows, std::int64_t* places) {
  const Number* row = rows.first;
  bool is_known = true;
  for (std::size_t r = 0; r < rows.rows; ++r, row += rows.step) {
    Number best = row[0];
    std::int64_t place = 0;
    is_known &= best == best;
    for (std::size_t k = 1; k < rows.length; ++k) {
      const Number each = row[k];
      is_known &= each == each;
      const bool is_better = wants_largest ? each > best : each < best;
      best = is_better ? each : best;
      place = is_better ? static_cast<std::int64_t>(k) : place;
    }
    places[r] = place;
  }
  return is_known;
}

}  // namespace

template <class Number>
bool fold_rows(RowFold fold, const FoldedRows<Number>& rows, Number zero, Number* folds) {
  bool is_known = true;
  const bool has_no_error = has_no_float_error(folds, [&] {
    with_row_length(rows.length, [&](auto length) {
      if (fold == RowFold::max) {
        is_known = extrema<true>(rows, length, folds);
      } else if (fold == RowFold::min) {
        is_known = extrema<false>(rows, length, folds);
      } else {
        const Number* row = rows.first;
        for (std::size_t r = 0; r < rows.rows; ++r, row += rows.step) folds[r] = zero + sum_of(row, length);
      }
    });
    if (fold == RowFold::mean)
      for (std::size_t r = 0; r < rows.rows; ++r) folds[r] /= static_cast<Number>(rows.length);
  });
  return is_known && has_no_error;
}

template <class Number>
bool sum_over_rows(bool wants_mean, const FoldedRows<Number>& rows, Number zero, Number* sums) {
  return has_no_float_error(sums, [&] {
    with_row_length(rows.length, [&](auto length) {
      std::array<Number, longest_folded_row> here;
      for (std::size_t k = 0; k < length; ++k) here[k] = zero;
      const Number* row = rows.first;
      for (std::size_t r = 0; r < rows.rows; ++r, row += rows.step)
        for (std::size_t k = 0; k < length; ++k) here[k] += row[k];
      const auto divisor = wants_mean ? static_cast<Number>(rows.rows) : Number{1};
      for (std::size_t k = 0; k < length; ++k) sums[k] = here[k] / divisor;
    });
  });
}

template <class Number>
bool find_in_rows(bool wants_largest, const FoldedRows<Number>& rows, std::int64_t* places) {
  return wants_largest ? places_of_extrema<true>(rows, places) : places_of_extrema<false>(rows, places);
}

template bool fold_rows(RowFold, const FoldedRows<double>&, double, double*);
template bool fold_rows(RowFold, const FoldedRows<float>&, float, float*);
template bool sum_over_rows(bool, const FoldedRows<double>&, double, double*);
template bool sum_over_rows(bool, const FoldedRows<float>&, float, float*);
template bool find_in_rows(bool, const FoldedRows<double>&, std::int64_t*);
template bool find_in_rows(bool, const FoldedRows<float>&, std::int64_t*);

}  // namespace gamelan::kernel
