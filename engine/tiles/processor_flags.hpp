// SPDX-License-Identifier: BSD-3-Clause
// The flags of floating-point errors of this thread's processor, with the bits that x86 gives them: 1
// invalid, 4 division by zero, 8 overflow, 16 underflow, 32 inexact.
#pragma once
#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace gamelan::engine::tiles::processor_flags {

inline constexpr unsigned all = 0x3d;

#if defined(__SSE2__)
/// Of both units: gcc 14 makes x87 code of fmod. They stand at the same places.
inline unsigned raised() {
  unsigned short x87 = 0;
  asm volatile("fnstsw %0" : "=a"(x87));
  return _mm_getcsr() | x87;
}
inline void lower() {
  _mm_setcsr(_mm_getcsr() & ~all);
  asm volatile("fnclex");
}
#else
inline unsigned raised() {
  const int met = std::fetestexcept(FE_ALL_EXCEPT);
  const auto bit = [met](int flag, unsigned number) { return (met & flag) != 0 ? number : 0; };
  return bit(FE_INVALID, 1) | bit(FE_DIVBYZERO, 4) | bit(FE_OVERFLOW, 8) | bit(FE_UNDERFLOW, 16) |
         bit(FE_INEXACT, 32);
}
inline void lower() { std::feclearexcept(FE_ALL_EXCEPT); }
#endif

}  // namespace gamelan::engine::tiles::processor_flags
