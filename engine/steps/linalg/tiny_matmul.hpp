// SPDX-License-Identifier: BSD-3-Clause
// Products with a few columns and a short inner axis (points times a rotation, colours times weights): BLAS
// is called for a tile of rows at a time, and such a tile is less work than the call.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

#include "engine/steps/linalg/matmul_panels.hpp"

namespace gamelan::engine::steps {

constexpr std::int64_t most_inner = 8, most_tiny_columns = 4;  // of more, BLAS is as fast

/// Whether `multiply_tiny` computes a product of this shape, the same on all ranks.
inline bool is_tiny(const plan::Matmul& matmul) {
  const bool is_real = matmul.dtype == protocol::Dtype::float64 || matmul.dtype == protocol::Dtype::float32;
  return is_real && matmul.extents.size() == 2 && matmul.inner > 0 && matmul.inner <= most_inner &&
         matmul.extents[1] <= most_tiny_columns;
}

/// rows = a times the factors, which stand by rows of `width` numbers. Each element is the sum of its
/// products from the first to the last, so its bits do not depend on where blocks end.
template <class Real, class Inner, class Width>
void multiply_rows(const tiles::MatrixInMemory& a, std::int64_t rows, Inner inner, const Real* factors,
                   Width width, Real* __restrict result) {
  const auto row_step = a.is_transposed ? 1 : a.leading, step = a.is_transposed ? a.leading : 1;
  const auto* row = static_cast<const Real*>(a.data);
  for (std::int64_t i = 0; i < rows; ++i, row += row_step, result += width) {
    std::array<Real, most_tiny_columns> sums{};
    for (std::int64_t k = 0; k < inner; ++k)
      for (std::int64_t j = 0; j < width; ++j)
        sums[static_cast<std::size_t>(j)] += row[k * step] * factors[k * width + j];
    for (std::int64_t j = 0; j < width; ++j) result[j] = sums[static_cast<std::size_t>(j)];
  }
}

/// Calls visit(number) with a number that the compiler knows if it is one of `known`.
template <std::int64_t... known, class Visit>
void with_known(std::int64_t number, Visit visit) {
  const bool is_known =
      ((number == known && (visit(std::integral_constant<std::int64_t, known>()), true)) || ...);
  if (!is_known) visit(number);
}

/// Writes this rank's block of the result, `rows` x `columns` of it.
template <class Real>
void multiply_tiny(const StepContext& context, const plan::Matmul& matmul, const distribution::Interval& rows,
                   const distribution::Interval& columns, Real* result) {
  constexpr std::int64_t rows_at_once = 1024;
  const auto inner = matmul.inner, width = columns.size();
  const distribution::Interval all{0, inner};
  Panels left(context, matmul.left, matmul.dtype), right(context, matmul.right, matmul.dtype);
  std::array<Real, most_inner * most_tiny_columns> factors{};
  const auto b = right.at({all, columns});
  for (std::int64_t k = 0; k < inner; ++k)
    for (std::int64_t j = 0; j < width; ++j)
      factors[static_cast<std::size_t>(k * width + j)] =
          static_cast<const Real*>(b.data)[b.is_transposed ? k + j * b.leading : k * b.leading + j];
  for (auto first = rows.first; first < rows.last; first += rows_at_once) {
    const distribution::Interval some{first, std::min(first + rows_at_once, rows.last)};
    const auto a = left.at({some, all});
    with_known<1, 2, 3, 4>(width, [&](auto known_width) {
      with_known<2, 3, 4>(inner, [&](auto known_inner) {
        multiply_rows(a, some.size(), known_inner, factors.data(), known_width, result);
      });
    });
    result += some.size() * width;
    context.progress();  // others wait for this rank's panels
  }
}

}  // namespace gamelan::engine::steps
