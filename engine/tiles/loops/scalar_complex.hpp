// SPDX-License-Identifier: BSD-3-Clause
// NumPy's semantics of complex operations beyond the arithmetic of complex.hpp. The elementary functions are
// those of the C library, as in NumPy; the ones C lacks are composed of real functions in NumPy's way.
#pragma once
#include "engine/tiles/loops/scalar_real.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

__extension__ typedef _Complex float CFloat;
__extension__ typedef _Complex double CDouble;
static_assert(sizeof(CFloat) == sizeof(Complex<float>) && sizeof(CDouble) == sizeof(Complex<double>));

#define GAMELAN_COMPLEX_MATH(name, function)                                                           \
  inline Complex<float> name(Complex<float> x) {                                                       \
    return __builtin_bit_cast(Complex<float>, __builtin_##function##f(__builtin_bit_cast(CFloat, x))); \
  }                                                                                                    \
  inline Complex<double> name(Complex<double> x) {                                                     \
    return __builtin_bit_cast(Complex<double>, __builtin_##function(__builtin_bit_cast(CDouble, x)));  \
  }
GAMELAN_COMPLEX_MATH(square_root, csqrt)
GAMELAN_COMPLEX_MATH(exponential, cexp)
GAMELAN_COMPLEX_MATH(logarithm, clog)
GAMELAN_COMPLEX_MATH(sine, csin)
GAMELAN_COMPLEX_MATH(cosine, ccos)
GAMELAN_COMPLEX_MATH(tangent, ctan)
GAMELAN_COMPLEX_MATH(arc_sine, casin)
GAMELAN_COMPLEX_MATH(arc_cosine, cacos)
GAMELAN_COMPLEX_MATH(arc_tangent, catan)
GAMELAN_COMPLEX_MATH(hyperbolic_sine, csinh)
GAMELAN_COMPLEX_MATH(hyperbolic_cosine, ccosh)
GAMELAN_COMPLEX_MATH(hyperbolic_tangent, ctanh)
GAMELAN_COMPLEX_MATH(area_sine, casinh)
GAMELAN_COMPLEX_MATH(area_cosine, cacosh)
GAMELAN_COMPLEX_MATH(area_tangent, catanh)
#undef GAMELAN_COMPLEX_MATH

inline Complex<float> library_power(Complex<float> x, Complex<float> y) {
  return __builtin_bit_cast(Complex<float>,
                            __builtin_cpowf(__builtin_bit_cast(CFloat, x), __builtin_bit_cast(CFloat, y)));
}
inline Complex<double> library_power(Complex<double> x, Complex<double> y) {
  return __builtin_bit_cast(Complex<double>,
                            __builtin_cpow(__builtin_bit_cast(CDouble, x), __builtin_bit_cast(CDouble, y)));
}

template <class R>
R absolute(Complex<R> x) {
  return hypotenuse(x.real, x.imag);
}
template <class R>
Complex<R> conjugate(Complex<R> x) {
  return {x.real, -x.imag};
}
template <class R>
Complex<R> rint_of(Complex<R> x) {
  return {rint_of(x.real), rint_of(x.imag)};
}
template <class R>
bool is_nan(Complex<R> x) {
  return is_nan(x.real) || is_nan(x.imag);
}
template <class R>
bool is_inf(Complex<R> x) {
  return is_inf(x.real) || is_inf(x.imag);
}
template <class R>
bool is_finite(Complex<R> x) {
  return is_finite(x.real) && is_finite(x.imag);
}

/// NumPy 1.x: the sign of the number in lexicographic order, not x / |x|.
template <class R>
Complex<R> sign(Complex<R> x) {
  const Complex<R> zero(R(0));
  return Complex<R>(less_than(zero, x)   ? R(1)
                    : less_than(x, zero) ? R(-1)
                    : x == zero          ? R(0)
                                         : not_a_number<R>);
}

template <class R>
Complex<R> reciprocal(Complex<R> x) {
  if (absolute(x.imag) <= absolute(x.real)) {
    const R ratio = x.imag / x.real, divisor = x.real + x.imag * ratio;
    return {R(1) / divisor, -ratio / divisor};
  }
  const R ratio = x.real / x.imag, divisor = x.real * ratio + x.imag;
  return {ratio / divisor, R(-1) / divisor};
}

template <class R>
Complex<R> exponential2(Complex<R> x) {
  constexpr R ln_2 = static_cast<R>(0.693147180559945309417232121458176568L);
  return exponential(Complex<R>(x.real * ln_2, x.imag * ln_2));
}
template <class R>
Complex<R> exponential_minus_1(Complex<R> x) {
  const R half_sine = sine(x.imag / R(2));
  return {exponential_minus_1(x.real) * cosine(x.imag) - R(2) * half_sine * half_sine,
          exponential(x.real) * sine(x.imag)};
}
template <class R>
Complex<R> logarithm2(Complex<R> x) {
  constexpr R log2_e = static_cast<R>(1.442695040888963407359924681001892137L);
  const Complex<R> natural = logarithm(x);
  return {natural.real * log2_e, natural.imag * log2_e};
}
template <class R>
Complex<R> logarithm10(Complex<R> x) {
  constexpr R log10_e = static_cast<R>(0.434294481903251827651128918916605082L);
  const Complex<R> natural = logarithm(x);
  return {natural.real * log10_e, natural.imag * log10_e};
}
template <class R>
Complex<R> logarithm_plus_1(Complex<R> x) {
  return {logarithm(hypotenuse(x.real + R(1), x.imag)), arc_tangent2(x.imag, x.real + R(1))};
}

/// Small integer exponents by products, as NumPy does: exact where the result is.
template <class R>
Complex<R> power_of(Complex<R> x, Complex<R> y) {
  const Complex<R> one(R(1));
  if (y.real == 0 && y.imag == 0) return one;
  if (x.real == 0 && x.imag == 0) {
    if (y.real > 0 && y.imag == 0) return Complex<R>(R(0));
    return {not_a_number<R>, not_a_number<R>};
  }
  if (y.imag == 0 && absolute(y.real) < R(100) && trunc_of(y.real) == y.real) {
    int rest = static_cast<int>(absolute(y.real));
    if (y.real == 1) return x;
    if (y.real == 2) return x * x;
    if (y.real == 3) return x * (x * x);
    Complex<R> product = one, square = x;
    for (;; square = square * square) {
      if ((rest & 1) != 0) product = product * square;
      rest >>= 1;
      if (rest == 0) break;
    }
    return y.real < 0 ? one / product : product;
  }
  return library_power(x, y);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
