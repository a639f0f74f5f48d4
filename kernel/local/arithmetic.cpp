// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/arithmetic.hpp"

namespace gamelan::kernel {
namespace {

template <class Operation>
void loop(Numbers left, Numbers right, double* __restrict result, std::size_t count, Operation operation) {
  const double* const x = left.first;
  const double* const y = right.first;
  if (left.is_one) {
    const double one = *x;
    for (std::size_t k = 0; k < count; ++k) result[k] = operation(one, y[k]);
  } else if (right.is_one) {
    const double one = *y;
    for (std::size_t k = 0; k < count; ++k) result[k] = operation(x[k], one);
  } else {
    for (std::size_t k = 0; k < count; ++k) result[k] = operation(x[k], y[k]);
  }
}

}  // namespace

bool compute(Arithmetic what, Numbers left, Numbers right, double* result, std::size_t count) {
  return has_no_float_error(result, [&] {
    with_operation(what, [&](auto operation) { loop(left, right, result, count, operation); });
  });
}

}  // namespace gamelan::kernel
