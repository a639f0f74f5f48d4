// SPDX-License-Identifier: BSD-3-Clause
// What loops of arithmetic share: the operations, and the question whether one of them was in error.
#pragma once
#include <cfenv>

namespace gamelan::kernel {

enum class Arithmetic { add, subtract, multiply, divide };

/// Calls visit(operation) with the function of two numbers.
template <class Visit>
void with_operation(Arithmetic what, Visit visit) {
  switch (what) {
    case Arithmetic::add:
      return visit([](double x, double y) { return x + y; });
    case Arithmetic::subtract:
      return visit([](double x, double y) { return x - y; });
    case Arithmetic::multiply:
      return visit([](double x, double y) { return x * y; });
    case Arithmetic::divide:
      return visit([](double x, double y) { return x / y; });
  }
}

/// Calls `loop`, which writes to `result`. False when there was an overflow, an underflow, a division by zero
/// or an invalid operation, of which somebody may want to hear.
template <class Loop>
bool has_no_float_error(const void* result, Loop loop) {
  constexpr int told_errors = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
  if (std::fetestexcept(told_errors) != 0) std::feclearexcept(told_errors);
  loop();
  asm volatile("" : : "r"(result) : "memory");  // the loop comes before the question
  return std::fetestexcept(told_errors) == 0;
}

}  // namespace gamelan::kernel
