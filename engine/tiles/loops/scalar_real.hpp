// SPDX-License-Identifier: BSD-3-Clause
// NumPy's semantics of real floating-point operations, for float and double; Half computes in float and
// rounds. Names are those of the op table's `expr` column. Compiler builtins instead of <cmath>: its
// overloads are inline functions that the linker would share between instruction-set levels.
#pragma once
#include "engine/tiles/loops/element.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

// One function of the C library under the name of the table, for the three real types.
#define GAMELAN_MATH_1(name, function)                              \
  inline float name(float x) { return __builtin_##function##f(x); } \
  inline double name(double x) { return __builtin_##function(x); }  \
  inline Half name(Half x) { return Half(name(static_cast<float>(x))); }
#define GAMELAN_MATH_2(name, function)                                          \
  inline float name(float x, float y) { return __builtin_##function##f(x, y); } \
  inline double name(double x, double y) { return __builtin_##function(x, y); } \
  inline Half name(Half x, Half y) { return Half(name(static_cast<float>(x), static_cast<float>(y))); }
// A template over float and double, lifted to Half.
#define GAMELAN_LIFT_1(name) \
  inline Half name(Half x) { return Half(name(static_cast<float>(x))); }
#define GAMELAN_LIFT_2(name) \
  inline Half name(Half x, Half y) { return Half(name(static_cast<float>(x), static_cast<float>(y))); }

GAMELAN_MATH_1(absolute, fabs)
GAMELAN_MATH_1(square_root, sqrt)
GAMELAN_MATH_1(cube_root, cbrt)
GAMELAN_MATH_1(exponential, exp)
GAMELAN_MATH_1(exponential2, exp2)
GAMELAN_MATH_1(exponential_minus_1, expm1)
GAMELAN_MATH_1(logarithm, log)
GAMELAN_MATH_1(logarithm2, log2)
GAMELAN_MATH_1(logarithm10, log10)
GAMELAN_MATH_1(logarithm_plus_1, log1p)
GAMELAN_MATH_1(sine, sin)
GAMELAN_MATH_1(cosine, cos)
GAMELAN_MATH_1(tangent, tan)
GAMELAN_MATH_1(arc_sine, asin)
GAMELAN_MATH_1(arc_cosine, acos)
GAMELAN_MATH_1(arc_tangent, atan)
GAMELAN_MATH_1(hyperbolic_sine, sinh)
GAMELAN_MATH_1(hyperbolic_cosine, cosh)
GAMELAN_MATH_1(hyperbolic_tangent, tanh)
GAMELAN_MATH_1(area_sine, asinh)
GAMELAN_MATH_1(area_cosine, acosh)
GAMELAN_MATH_1(area_tangent, atanh)
GAMELAN_MATH_1(floor_of, floor)
GAMELAN_MATH_1(ceil_of, ceil)
GAMELAN_MATH_1(trunc_of, trunc)
GAMELAN_MATH_1(rint_of, rint)
GAMELAN_MATH_2(fmod_of, fmod)
GAMELAN_MATH_2(arc_tangent2, atan2)
GAMELAN_MATH_2(hypotenuse, hypot)
GAMELAN_MATH_2(copy_sign, copysign)
GAMELAN_MATH_2(power_of, pow)

inline float next_after(float x, float y) { return __builtin_nextafterf(x, y); }
inline double next_after(double x, double y) { return __builtin_nextafter(x, y); }
inline Half next_after(Half x, Half y) {
  if (x != x || y != y) return Half(static_cast<float>(x) + static_cast<float>(y));
  if (x == y) return x;  // NumPy's halves; C's floats give y, which differs for zeros
  const bool is_zero = (x.bits & 0x7fff) == 0;
  if (is_zero) return Half::from_bits(static_cast<std::uint16_t>((y.bits & 0x8000) | 1));
  const bool is_away = (x < y) == ((x.bits & 0x8000) == 0);
  return Half::from_bits(static_cast<std::uint16_t>(is_away ? x.bits + 1 : x.bits - 1));
}

/// An exponent beyond these gives zero or infinity whatever x is.
inline float load_exponent(float x, float y) {
  return __builtin_ldexpf(x, static_cast<int>(y > 5000 ? 5000 : y < -5000 ? -5000 : y));
}
inline double load_exponent(double x, double y) {
  return __builtin_ldexp(x, static_cast<int>(y > 5000 ? 5000 : y < -5000 ? -5000 : y));
}
inline Half load_exponent(Half x, Half y) {
  return Half(load_exponent(static_cast<float>(x), static_cast<float>(y)));
}

template <Real T>
inline constexpr T infinity = static_cast<T>(__builtin_inf());
template <Real T>
inline constexpr T not_a_number = static_cast<T>(__builtin_nan(""));

template <Real T>
T conjugate(T x) {
  return x;
}
inline Half conjugate(Half x) { return x; }
template <Real T>
T reciprocal(T x) {
  return T(1) / x;
}
GAMELAN_LIFT_1(reciprocal)
template <Real T>
T sign(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}
GAMELAN_LIFT_1(sign)

template <Real T>
T degrees_to_radians(T x) {
  return x * (static_cast<T>(3.141592653589793238462643383279502884L) / T(180));
}
GAMELAN_LIFT_1(degrees_to_radians)
template <Real T>
T radians_to_degrees(T x) {
  return x * (T(180) / static_cast<T>(3.141592653589793238462643383279502884L));
}
GAMELAN_LIFT_1(radians_to_degrees)

inline bool is_nan(Real auto x) { return x != x; }
template <Real T>
bool is_inf(T x) {
  return absolute(x) == infinity<T>;
}
template <Real T>
bool is_finite(T x) {
  return absolute(x) < infinity<T>;
}
inline bool is_nan(Half x) { return (x.bits & 0x7fff) > 0x7c00; }
inline bool is_inf(Half x) { return (x.bits & 0x7fff) == 0x7c00; }
inline bool is_finite(Half x) { return (x.bits & 0x7fff) < 0x7c00; }
inline bool sign_bit(float x) { return (__builtin_bit_cast(std::uint32_t, x) >> 31) != 0; }
inline bool sign_bit(double x) { return (__builtin_bit_cast(std::uint64_t, x) >> 63) != 0; }
inline bool sign_bit(Half x) { return (x.bits & 0x8000) != 0; }

/// Signed distance to the next number away from zero.
template <Real T>
T spacing_of(T x) {
  if (!is_finite(x)) return not_a_number<T>;
  if (x == 0) return next_after(T(0), T(1));
  return next_after(x, copy_sign(infinity<T>, x)) - x;
}
/// NumPy's halves differ from its floats: always the distance to the next number upwards.
inline Half spacing_of(Half x) {
  if (!is_finite(x)) return Half(not_a_number<float>);
  return Half(static_cast<float>(next_after(x, Half(infinity<float>))) - static_cast<float>(x));
}

/// Python's rule: the remainder takes the sign of the divisor. `fmod` is exact, hence so is the remainder.
template <Real T>
T remainder_of(T x, T y) {
  const T rest = fmod_of(x, y);
  if (y == 0) return rest;
  if (rest == 0) return copy_sign(T(0), y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}
GAMELAN_LIFT_2(remainder_of)

/// From the exact remainder, then rounded to the integer it must be: floor(x / y) would be off by one after
/// rounding.
template <Real T>
T floor_divide_of(T x, T y) {
  if (y == 0) return x / y;
  const T rest = fmod_of(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= T(1);
  if (quotient == 0) return copy_sign(T(0), x / y);
  const T whole = floor_of(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
}
GAMELAN_LIFT_2(floor_divide_of)

template <Real T>
T heaviside_of(T x, T at_zero) {
  return x != x ? x : x == 0 ? at_zero : x < 0 ? T(0) : T(1);
}
GAMELAN_LIFT_2(heaviside_of)

template <Real T>
T log_add_exp(T x, T y) {
  if (x == y)
    return x + static_cast<T>(0.693147180559945309417232121458176568L);  // infinities of one sign too
  const T distance = x - y;
  if (distance > 0) return x + logarithm_plus_1(exponential(-distance));
  if (distance <= 0) return y + logarithm_plus_1(exponential(distance));
  return distance;  // NaN
}
GAMELAN_LIFT_2(log_add_exp)

template <Real T>
T log_add_exp2(T x, T y) {
  constexpr T log2_e = static_cast<T>(1.442695040888963407359924681001892137L);
  if (x == y) return x + T(1);
  const T distance = x - y;
  if (distance > 0) return x + log2_e * logarithm_plus_1(exponential2(-distance));
  if (distance <= 0) return y + log2_e * logarithm_plus_1(exponential2(distance));
  return distance;
}
GAMELAN_LIFT_2(log_add_exp2)

#undef GAMELAN_MATH_1
#undef GAMELAN_MATH_2
#undef GAMELAN_LIFT_1
#undef GAMELAN_LIFT_2

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
