// SPDX-License-Identifier: BSD-3-Clause
// NumPy's integer semantics that C++ lacks: arithmetic wraps (sources that include this are built with
// -fwrapv), division rounds down, division by zero gives 0, and a shift by more than the width gives the same
// as shifting bit by bit.
#pragma once
#include "engine/tiles/loops/element.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <Integer T>
using Unsigned = std::make_unsigned_t<T>;
template <Integer T>
inline constexpr int width_bits = static_cast<int>(8 * sizeof(T));

/// |x| without overflow, in the unsigned type.
template <Integer T>
Unsigned<T> magnitude(T x) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<Unsigned<T>>(x < 0 ? -x : x);
  else
    return x;
}

template <Integer T>
T floor_divide_of(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1))
      return static_cast<T>(-x);  // the smallest number wraps to itself; the processor would trap
    const T quotient = static_cast<T>(x / y);
    return static_cast<T>(quotient - (((x % y != 0) && ((x < 0) != (y < 0))) ? 1 : 0));
  } else {
    return static_cast<T>(x / y);
  }
}

template <Integer T>
T remainder_of(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1)) return 0;
    const T rest = static_cast<T>(x % y);
    return static_cast<T>(rest != 0 && ((rest < 0) != (y < 0)) ? rest + y : rest);
  } else {
    return static_cast<T>(x % y);
  }
}

template <Integer T>
T fmod_of(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1)) return 0;
  }
  return static_cast<T>(x % y);
}

/// By squaring, wrapping. NumPy refuses negative exponents before it computes; here they give the integer
/// part.
template <Integer T>
T power_of(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      return static_cast<T>(base == T(-1) ? ((exponent & 1) != 0 ? -1 : 1) : 0);
    }
  }
  // Unsigned products are wide enough not to be promoted to a signed type that could overflow.
  std::uint64_t product = 1, square = static_cast<std::uint64_t>(base);
  for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) product *= square;
    square *= square;
  }
  return static_cast<T>(product);
}

template <Integer T>
T gcd_of(T x, T y) {
  Unsigned<T> larger = magnitude(x), smaller = magnitude(y);
  while (smaller != 0) {
    const auto rest = static_cast<Unsigned<T>>(larger % smaller);
    larger = smaller;
    smaller = rest;
  }
  return static_cast<T>(larger);
}

template <Integer T>
T lcm_of(T x, T y) {
  const auto divisor = static_cast<Unsigned<T>>(gcd_of(x, y));
  if (divisor == 0) return 0;
  return static_cast<T>(static_cast<std::uint64_t>(magnitude(x) / divisor) * magnitude(y));
}

template <Integer T>
T shift_left(T x, T count) {
  const bool is_shift = static_cast<Unsigned<T>>(count) < static_cast<Unsigned<T>>(width_bits<T>);
  return is_shift ? static_cast<T>(static_cast<std::uint64_t>(x) << static_cast<unsigned>(count)) : T(0);
}

template <Integer T>
T shift_right(T x, T count) {
  const bool is_shift = static_cast<Unsigned<T>>(count) < static_cast<Unsigned<T>>(width_bits<T>);
  return is_shift ? static_cast<T>(x >> static_cast<int>(count)) : static_cast<T>(x < 0 ? -1 : 0);
}

template <Integer T>
T absolute(T x) {
  return static_cast<T>(magnitude(x));
}
template <Integer T>
T sign(T x) {
  return static_cast<T>((x > 0) - (x < 0));
}
template <Integer T>
T conjugate(T x) {
  return x;
}
template <Integer T>
T invert(T x) {
  return static_cast<T>(~x);
}
inline bool invert(bool x) { return !x; }
inline bool absolute(bool x) { return x; }

/// The integer part of 1/x. NumPy divides in double and casts, so 0 gives what casting infinity gives on x86.
template <Integer T>
T reciprocal(T x) {
  if (x == 0) {
    if constexpr (std::is_unsigned_v<T> || sizeof(T) < 4)
      return 0;
    else
      return static_cast<T>(Unsigned<T>{1} << (width_bits<T> - 1));
  }
  return static_cast<T>(x == 1 ? 1 : (std::is_signed_v<T> && x == T(-1)) ? -1 : 0);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
