// SPDX-License-Identifier: BSD-3-Clause
// Arguments for which libmvec leaves its vectors and calls a scalar function for each of them: NaN,
// infinities, what overflows and what has no result. Of most the result is a constant. It comes from the
// library, too, so the bits are the library's. For vector_math.hpp.
#pragma once
#include <immintrin.h>

#include <limits>

#include "protocol/ops.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

/// What a function of the library computes within its vectors (measured with glibc 2.36). Of finite
/// arguments below `least` all results but that of 0 are equal, and of those above `greatest` all are.
template <class T>
struct Domain {
  T least = std::numeric_limits<T>::lowest(), greatest = std::numeric_limits<T>::max();
  bool has_nan = false;

  constexpr bool is_all() const {
    return has_nan && least == -std::numeric_limits<T>::infinity() &&
           greatest == std::numeric_limits<T>::infinity();
  }
};

template <protocol::Op op, class T>
constexpr Domain<T> domain() {
  using protocol::Op;
  constexpr bool is_double = sizeof(T) == sizeof(double);
  constexpr T infinity = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
  constexpr Domain<T> finite;
  switch (op) {
    case Op::exp:
      return is_double ? Domain<T>{T(-746), T(709.79)} : Domain<T>{T(-104), T(88.73)};
    case Op::exp2:
      return is_double ? Domain<T>{T(-1076), T(1024), true} : Domain<T>{T(-151), T(128), true};
    case Op::expm1:
      return {finite.least, is_double ? T(709.79) : T(88.73), !is_double};
    case Op::log:
      return {tiny, finite.greatest};
    case Op::log2:
    case Op::log10:
      return {tiny, finite.greatest, true};
    case Op::log1p:
      return {finite.least, is_double ? infinity : finite.greatest};
    case Op::arcsin:
    case Op::arccos:
      return {T(-1), T(1), true};
    case Op::arctan:
    case Op::cbrt:
      return {-infinity, infinity, true};
    default:
      return finite;
  }
}

/// A result, and the flags of floating-point errors that the processor raises on the way.
template <class T>
struct Outcome {
  T result;
  unsigned flags;
};

/// Of `function`, beyond its domain: a finite argument has the result of an infinite one, but other flags.
template <class T>
struct ExceptionalResults {
  Outcome<T> below, at_zero, above, at_minus_infinity, at_infinity;
};
template <class T, class Function>
ExceptionalResults<T> exceptional_results(Function function) noexcept {
  using Limits = std::numeric_limits<T>;
  constexpr unsigned all_flags = 0x3f;
  const auto outcome = [&](T argument) noexcept -> Outcome<T> {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before & ~all_flags);
    const T result = function(argument);
    const unsigned flags = _mm_getcsr() & all_flags;
    _mm_setcsr(before);
    return {result, flags};
  };
  return {outcome(Limits::lowest()), outcome(T(0)), outcome(Limits::max()), outcome(-Limits::infinity()),
          outcome(Limits::infinity())};
}
inline void raise(unsigned flags) {
  if (flags != 0) _mm_setcsr(_mm_getcsr() | flags);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
