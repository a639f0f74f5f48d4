// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/rows.hpp"

#include "kernel/local/row_length.hpp"

namespace gamelan::kernel {
namespace {

/// The rows of an operand: where the first begins, and how far the next one is.
struct Rows {
  const double* first;
  std::ptrdiff_t step;
  const double* at(std::size_t number) const { return first + static_cast<std::ptrdiff_t>(number) * step; }
};

/// `is_left_one`: one number for all elements of a row. `Length`: a number, or a constant.
template <bool is_left_one, bool is_right_one, class Operation, class Length>
void loop(const Rows& left, const Rows& right, double* __restrict to, std::size_t rows, Length length,
          Operation operation) {
  for (std::size_t row = 0; row < rows; ++row, to += length) {
    const double* const x = left.at(row);
    const double* const y = right.at(row);
    for (std::size_t k = 0; k < length; ++k)
      to[k] = operation(x[is_left_one ? 0 : k], y[is_right_one ? 0 : k]);
  }
}

}  // namespace

bool compute_rows(Arithmetic what, const std::array<std::size_t, most_row_axes>& extents,
                  const RowOperand& left, const RowOperand& right, double* result) {
  const auto rows_of = [](const RowOperand& operand, std::size_t i, std::size_t j) {
    return Rows{operand.first + static_cast<std::ptrdiff_t>(i) * operand.steps[0] +
                    static_cast<std::ptrdiff_t>(j) * operand.steps[1],
                operand.steps[2]};
  };
  const auto loop_over = [&](auto length, auto operation) {
    double* to = result;
    for (std::size_t i = 0; i < extents[0]; ++i)
      for (std::size_t j = 0; j < extents[1]; ++j, to += extents[2] * length) {
        const Rows x = rows_of(left, i, j), y = rows_of(right, i, j);
        if (left.steps[3] == 0)
          loop<true, false>(x, y, to, extents[2], length, operation);
        else if (right.steps[3] == 0)
          loop<false, true>(x, y, to, extents[2], length, operation);
        else
          loop<false, false>(x, y, to, extents[2], length, operation);
      }
  };
  return has_no_float_error(result, [&] {
    with_operation(what, [&](auto operation) {
      with_row_length(extents[3], [&](auto length) { loop_over(length, operation); });
    });
  });
}

}  // namespace gamelan::kernel
