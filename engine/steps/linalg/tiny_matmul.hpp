// SPDX-License-Identifier: BSD-3-Clause
// Products with a few columns and a short inner axis (points times a rotation): BLAS is called for a tile of
// rows at a time, and such a tile is less work than the call.
#pragma once
#include <array>
#include <cstdint>
#include <type_traits>

#include "engine/steps/linalg/matmul_panels.hpp"

namespace gamelan::engine::steps {

constexpr std::int64_t most_inner = 8, most_tiny_columns = 4;  // of more, BLAS is as fast

/// Whether `multiply_tiny` computes a product of this shape, the same on all ranks.
inline bool is_tiny(const plan::Matmul& matmul) {
  return matmul.dtype == protocol::Dtype::float64 && matmul.extents.size() == 2 && matmul.inner > 0 &&
         matmul.inner <= most_inner && matmul.extents[1] > 1 && matmul.extents[1] <= most_tiny_columns;
}

/// rows = a times the factors, which stand by rows of `width` numbers. Each element is the sum of its
/// products from the first to the last, so its bits do not depend on where blocks end.
template <class Width>
void multiply_rows(const tiles::MatrixInMemory& a, std::int64_t rows, std::int64_t inner,
                   const double* factors, Width width, double* __restrict result) {
  const auto row_step = a.is_transposed ? 1 : a.leading, step = a.is_transposed ? a.leading : 1;
  const auto* row = static_cast<const double*>(a.data);
  for (std::int64_t i = 0; i < rows; ++i, row += row_step, result += width) {
    std::array<double, most_tiny_columns> sums{};
    for (std::int64_t k = 0; k < inner; ++k)
      for (std::int64_t j = 0; j < width; ++j)
        sums[static_cast<std::size_t>(j)] += row[k * step] * factors[k * width + j];
    for (std::int64_t j = 0; j < width; ++j) result[j] = sums[static_cast<std::size_t>(j)];
  }
}

/// Writes this rank's block of the result, `rows` x `columns` of it.
inline void multiply_tiny(const StepContext& context, const plan::Matmul& matmul,
                          const distribution::Interval& rows, const distribution::Interval& columns,
                          double* result) {
  constexpr std::int64_t rows_at_once = 1024;
  const auto inner = matmul.inner, width = columns.size();
  const distribution::Interval all{0, inner};
  Panels left(context, matmul.left, matmul.dtype), right(context, matmul.right, matmul.dtype);
  std::array<double, most_inner * most_tiny_columns> factors{};
  const auto b = right.at({all, columns});
  for (std::int64_t k = 0; k < inner; ++k)
    for (std::int64_t j = 0; j < width; ++j)
      factors[static_cast<std::size_t>(k * width + j)] =
          static_cast<const double*>(b.data)[b.is_transposed ? k + j * b.leading : k * b.leading + j];
  for (auto first = rows.first; first < rows.last; first += rows_at_once) {
    const distribution::Interval some{first, std::min(first + rows_at_once, rows.last)};
    const auto a = left.at({some, all});
    const auto multiply = [&](auto known) {
      multiply_rows(a, some.size(), inner, factors.data(), known, result);
    };
    if (width == 2)
      multiply(std::integral_constant<std::int64_t, 2>());
    else if (width == 3)
      multiply(std::integral_constant<std::int64_t, 3>());
    else if (width == 4)
      multiply(std::integral_constant<std::int64_t, 4>());
    else
      multiply(width);
    result += some.size() * width;
    context.progress();  // others wait for this rank's panels
  }
}

}  // namespace gamelan::engine::steps
