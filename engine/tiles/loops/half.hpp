// SPDX-License-Identifier: BSD-3-Clause
// float16 as a storage type: every operation converts to float, computes, and rounds to nearest even, as
// NumPy does. Lives in the namespace of one instruction-set level (see element.hpp for why).
#pragma once
#include <cstdint>
#include <type_traits>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#ifndef GAMELAN_ISA
#define GAMELAN_ISA baseline
#endif

namespace gamelan::engine::tiles::GAMELAN_ISA {

inline float float_of_half(std::uint16_t half) {
#if defined(__F16C__)
  return _cvtsh_ss(half);
#else
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  std::uint32_t bits = static_cast<std::uint32_t>(half & 0x7fff) << 13;
  const std::uint32_t exponent = bits & 0x0f800000;
  if (exponent == 0x0f800000) {
    bits += (255U - 31U) << 23;                        // infinity or NaN
    if ((bits & 0x007fffff) != 0) bits |= 0x00400000;  // a NaN comes out quiet, as from the hardware
  } else if (exponent == 0) {
    constexpr std::uint32_t smallest = (127U - 14U)
                                       << 23;  // 2**-14 with the fraction below it: subtract the 1
    bits = __builtin_bit_cast(
        std::uint32_t, __builtin_bit_cast(float, bits + smallest) - __builtin_bit_cast(float, smallest));
  } else {
    bits += (127U - 15U) << 23;
  }
  return __builtin_bit_cast(float, bits | sign);
#endif
}

inline std::uint16_t half_of_float(float value) {
#if defined(__F16C__)
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00 | ((bits >> 13) & 0x03ff));
  if (bits >= 0x47800000) return static_cast<std::uint16_t>(sign | 0x7c00);  // 65536 and above, infinity
  if (bits < 0x38800000) {
    // Below 2**-14 the result is a multiple of 2**-24, which is the unit of floats in [0.5, 1): let the adder
    // round.
    const float shifted = __builtin_bit_cast(float, bits) + 0.5F;
    return static_cast<std::uint16_t>(sign | (__builtin_bit_cast(std::uint32_t, shifted) - 0x3f000000));
  }
  const std::uint32_t is_odd = (bits >> 13) & 1;
  return static_cast<std::uint16_t>(sign | ((bits - ((127U - 15U) << 23) + 0x0fff + is_odd) >> 13));
#endif
}

/// Rounds once: through a float rounded to odd, which has enough bits beyond a half's to remember which side
/// it is on.
inline std::uint16_t half_of_double(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, nearest);
  if (back != value && value == value) {
    if (__builtin_fabs(back) > __builtin_fabs(value)) --bits;
    bits |= 1;
  }
  return half_of_float(__builtin_bit_cast(float, bits));
}

struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(half_of_float(value)) {}
  explicit Half(double value) : bits(half_of_double(value)) {}
  template <class Integer>
  requires std::is_integral_v<Integer>
  explicit Half(Integer value) : bits(half_of_float(static_cast<float>(value))) {}
  static Half from_bits(std::uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }
  explicit operator float() const { return float_of_half(bits); }

  friend Half operator+(Half x, Half y) { return Half(float(x) + float(y)); }
  friend Half operator-(Half x, Half y) { return Half(float(x) - float(y)); }
  friend Half operator*(Half x, Half y) { return Half(float(x) * float(y)); }
  friend Half operator/(Half x, Half y) { return Half(float(x) / float(y)); }
  friend Half operator-(Half x) { return from_bits(static_cast<std::uint16_t>(x.bits ^ 0x8000)); }
  friend bool operator==(Half x, Half y) { return float(x) == float(y); }
  friend bool operator!=(Half x, Half y) { return float(x) != float(y); }
  friend bool operator<(Half x, Half y) { return float(x) < float(y); }
  friend bool operator<=(Half x, Half y) { return float(x) <= float(y); }
  friend bool operator>(Half x, Half y) { return float(x) > float(y); }
  friend bool operator>=(Half x, Half y) { return float(x) >= float(y); }
};
static_assert(sizeof(Half) == 2);

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
