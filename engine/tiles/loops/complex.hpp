// SPDX-License-Identifier: BSD-3-Clause
// A complex number with NumPy's arithmetic: the plain formula for products, Smith's quotient, lexicographic
// order. std::complex cannot be used: its operators are library templates, and of those compiled for several
// instruction-set levels the linker would keep one.
#pragma once

#ifndef GAMELAN_ISA
#define GAMELAN_ISA baseline
#endif

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <class R>
struct Complex {
  R real = 0, imag = 0;

  Complex() = default;
  constexpr Complex(R real_part, R imag_part) : real(real_part), imag(imag_part) {}
  template <class Number>
  constexpr explicit Complex(Number value) : real(static_cast<R>(value)), imag(0) {}
  template <class S>
  constexpr explicit Complex(Complex<S> other)
      : real(static_cast<R>(other.real)), imag(static_cast<R>(other.imag)) {}

  friend Complex operator+(Complex x, Complex y) { return {x.real + y.real, x.imag + y.imag}; }
  friend Complex operator-(Complex x, Complex y) { return {x.real - y.real, x.imag - y.imag}; }
  friend Complex operator-(Complex x) { return {-x.real, -x.imag}; }
  friend Complex operator*(Complex x, Complex y) {
    return {x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
  }
  /// Smith's algorithm in NumPy's order of operations: no overflow where the quotient is finite.
  friend Complex operator/(Complex x, Complex y) {
    const R real_size = size(y.real), imag_size = size(y.imag);
    if (real_size >= imag_size) {
      if (real_size == 0 && imag_size == 0) return {x.real / real_size, x.imag / real_size};
      const R ratio = y.imag / y.real;
      const R scale = R(1) / (y.real + y.imag * ratio);
      return {(x.real + x.imag * ratio) * scale, (x.imag - x.real * ratio) * scale};
    }
    const R ratio = y.real / y.imag;
    const R scale = R(1) / (y.imag + y.real * ratio);
    return {(x.real * ratio + x.imag) * scale, (x.imag * ratio - x.real) * scale};
  }
  static float size(float x) { return __builtin_fabsf(x); }
  static double size(double x) { return __builtin_fabs(x); }
  friend bool operator==(Complex x, Complex y) { return x.real == y.real && x.imag == y.imag; }
  friend bool operator!=(Complex x, Complex y) { return x.real != y.real || x.imag != y.imag; }
};

/// NumPy's order: by real part, then imaginary part; false when a NaN decides.
template <class R>
bool less_than(Complex<R> x, Complex<R> y) {
  return (x.real < y.real && x.imag == x.imag && y.imag == y.imag) || (x.real == y.real && x.imag < y.imag);
}
template <class R>
bool less_or_equal(Complex<R> x, Complex<R> y) {
  return (x.real < y.real && x.imag == x.imag && y.imag == y.imag) || (x.real == y.real && x.imag <= y.imag);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
