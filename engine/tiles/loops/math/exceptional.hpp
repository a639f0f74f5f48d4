// SPDX-License-Identifier: BSD-3-Clause
// Arguments for which libmvec leaves its vectors and calls a scalar function for each of them: NaN,
// infinities, what overflows and what has no result. Of most the result is a constant. It comes from the
// library, too, so the bits are the library's. For vector_math.hpp.
#pragma once
#include <immintrin.h>

#include <limits>

#include "engine/tiles/loops/math/vectors.hpp"
#include "protocol/ops.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

/// What a function of the library computes within its vectors (measured with glibc 2.36). All finite
/// arguments below `least` have one result, and all above `greatest` have one. (Where `least` is the smallest
/// positive number, 0 has another.)
template <class T>
struct Domain {
  T least = std::numeric_limits<T>::lowest(), greatest = std::numeric_limits<T>::max();
  bool has_nan = false;
  T ordinary = 1;  ///< an argument that raises no flag: the library gets it in place of what is exceptional

  constexpr bool is_all() const {
    return has_nan && least == -std::numeric_limits<T>::infinity() &&
           greatest == std::numeric_limits<T>::infinity();
  }
};

template <protocol::Op op, class T>
constexpr Domain<T> domain() {
  using protocol::Op;
  constexpr bool is_double = sizeof(T) == sizeof(double), wide = lanes < double >> 2;
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
      return {tiny, finite.greatest, wide};  // narrow ones raise a flag of NaN
    case Op::log1p:
      return {finite.least, is_double ? infinity : finite.greatest};
    case Op::arcsin:
    case Op::arccos:
      return {T(-1), T(1), true};
    case Op::arctan:
    case Op::cbrt:
      return {-infinity, infinity, true};
    case Op::arctanh:
      return {.ordinary = T(0.5)};
    default:
      return finite;
  }
}

/// The lanes of numbers that are not in the domain of a function; of NaN, none.
template <protocol::Op op, class T>
Lanes<T> lanes_outside(Vector<T> x) {
  constexpr Domain<T> of_op = domain<op, T>();
  return is_below<T>(x, of_op.least) | is_above<T>(x, of_op.greatest);
}

/// A result, and the flags of floating-point errors that the processor raises on the way.
template <class T>
struct Outcome {
  T result;
  unsigned flags;
};

/// Of a function, beyond its domain.
template <class T>
struct ExceptionalResults {
  Outcome<T> below, above, at_minus_infinity, at_infinity, at_zero;
};
template <class T, class Function>
ExceptionalResults<T> exceptional_results(Function function) {
  using Limits = std::numeric_limits<T>;
  constexpr unsigned all_flags = 0x3f;
  const auto outcome = [&](T argument) -> Outcome<T> {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before & ~all_flags);
    const T result = function(all_lanes(argument))[0];
    const unsigned flags = _mm_getcsr() & all_flags;
    _mm_setcsr(before);
    return {result, flags};
  };
  return {outcome(Limits::lowest()), outcome(Limits::max()), outcome(-Limits::infinity()),
          outcome(Limits::infinity()), outcome(T(0))};
}

/// Which exceptional arguments were met, and what they would have raised.
template <class T>
struct Met {
  const ExceptionalResults<T>* results = nullptr;
  Lanes<T> below{}, above{}, at_minus_infinity{}, at_infinity{}, at_zero{};

  void raise() const {
    if (results == nullptr) return;
    unsigned flags = 0;
    const auto note = [&](Lanes<T> lanes, const Outcome<T>& outcome) {
      if (is_any<T>(lanes)) flags |= outcome.flags;
    };
    note(below, results->below);
    note(above, results->above);
    note(at_minus_infinity, results->at_minus_infinity);
    note(at_infinity, results->at_infinity);
    note(at_zero, results->at_zero);
    if (flags != 0) _mm_setcsr(_mm_getcsr() | flags);
  }
};

/// The library gets an ordinary argument in place of NaN.
template <protocol::Op op, class T, class Function>
Vector<T> map_nan(Vector<T> x, Function function) {
  const Lanes<T> is_number = is_equal<T>(x, x);
  const Vector<T> nan = choose<T>(is_number, Vector<T>{}, x);
  return choose<T>(is_number, function(choose<T>(is_number, x, all_lanes(domain<op, T>().ordinary))),
                   nan + nan);  // a quiet one
}

/// The same in place of all that is exceptional.
template <protocol::Op op, class T, class Function>
Vector<T> map_exceptional(Vector<T> x, Function function, Met<T>& met) {
  constexpr Domain<T> of_op = domain<op, T>();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  // No guard: its code would be shared by the levels. One thread of an engine computes.
  static ExceptionalResults<T> results;
  static bool is_known = false;
  if (!is_known) {
    results = exceptional_results<T>(function);
    is_known = true;
  }
  met.results = &results;
  const Lanes<T> outside = lanes_outside<op, T>(x);
  const Vector<T> inside = choose<T>(outside, all_lanes(of_op.ordinary), x);
  Vector<T> all = of_op.has_nan ? function(inside) : map_nan<op, T>(inside, function);
  const auto put = [&](Lanes<T> lanes, const Outcome<T>& outcome, Lanes<T>& seen) {
    all = choose<T>(lanes, all_lanes(outcome.result), all);
    seen |= lanes;
  };
  constexpr auto greatest = std::numeric_limits<T>::max(), lowest = std::numeric_limits<T>::lowest();
  const Lanes<T> is_plus = is_above<T>(x, greatest), is_minus = is_below<T>(x, lowest);
  if constexpr (of_op.greatest < greatest)
    put(is_above<T>(x, of_op.greatest) & ~is_plus, results.above, met.above);
  if constexpr (of_op.greatest < infinity) put(is_plus, results.at_infinity, met.at_infinity);
  const Lanes<T> is_zero = of_op.least > 0 ? is_equal<T>(x, Vector<T>{}) : Lanes<T>{};
  if constexpr (of_op.least > lowest)
    put(is_below<T>(x, of_op.least) & ~is_minus & ~is_zero, results.below, met.below);
  if constexpr (of_op.least > -infinity) put(is_minus, results.at_minus_infinity, met.at_minus_infinity);
  if constexpr (of_op.least > 0) put(is_zero, results.at_zero, met.at_zero);
  return all;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
