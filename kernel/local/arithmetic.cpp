// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/arithmetic.hpp"

#include <cfenv>

namespace gamelan::kernel {
namespace {

constexpr int told_errors = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;

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
  if (std::fetestexcept(told_errors) != 0) std::feclearexcept(told_errors);
  switch (what) {
    case Arithmetic::add:
      loop(left, right, result, count, [](double x, double y) { return x + y; });
      break;
    case Arithmetic::subtract:
      loop(left, right, result, count, [](double x, double y) { return x - y; });
      break;
    case Arithmetic::multiply:
      loop(left, right, result, count, [](double x, double y) { return x * y; });
      break;
    case Arithmetic::divide:
      loop(left, right, result, count, [](double x, double y) { return x / y; });
      break;
  }
  asm volatile("" : : "r"(result) : "memory");  // the loop comes before the question
  return std::fetestexcept(told_errors) == 0;
}

}  // namespace gamelan::kernel
