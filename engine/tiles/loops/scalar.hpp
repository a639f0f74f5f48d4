// SPDX-License-Identifier: BSD-3-Clause
// Everything that the op table's `expr` column may name: NumPy's scalar semantics over the element types.
// This header holds what is one rule for all types; the sibling headers hold what each family of types needs.
#pragma once
#include "engine/tiles/loops/scalar_complex.hpp"
#include "engine/tiles/loops/scalar_integer.hpp"
#include "engine/tiles/loops/scalar_real.hpp"
#include "protocol/philox.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <class T>
T add_of(T x, T y) {
  return static_cast<T>(x + y);
}
inline bool add_of(bool x, bool y) { return x | y; }
template <class T>
T multiply_of(T x, T y) {
  return static_cast<T>(x * y);
}
// Through 32 unsigned bits: the product of two 16-bit numbers, promoted to int, can overflow.
inline std::uint16_t multiply_of(std::uint16_t x, std::uint16_t y) {
  return static_cast<std::uint16_t>(std::uint32_t{x} * y);
}
inline bool multiply_of(bool x, bool y) { return x & y; }
template <class T>
T divide_of(T x, T y) {
  return x / y;
}

template <class T>
bool is_nan(T) requires(Integer<T> || is_bool<T>) {
  return false;
}
template <class T>
bool is_inf(T) requires(Integer<T> || is_bool<T>) {
  return false;
}
template <class T>
bool is_finite(T) requires(Integer<T> || is_bool<T>) {
  return true;
}

template <class T>
bool less_than(T x, T y) {
  return x < y;
}
template <class T>
bool less_or_equal(T x, T y) {
  return x <= y;
}

/// The larger of two numbers; a NaN wins, the first of two NaNs.
template <class T>
T maximum_of(T x, T y) {
  if constexpr (is_bool<T>)
    return x | y;
  else if constexpr (is_complex<T>)
    return is_nan(x) || less_or_equal(y, x) ? x : y;
  else
    return (x >= y) | (x != x) ? x : y;
}
template <class T>
T minimum_of(T x, T y) {
  if constexpr (is_bool<T>)
    return x & y;
  else if constexpr (is_complex<T>)
    return is_nan(x) || less_or_equal(x, y) ? x : y;
  else
    return (x <= y) | (x != x) ? x : y;
}
/// The larger of two numbers; a NaN loses; of two NaNs the first is returned.
template <class T>
T fmax_of(T x, T y) {
  if constexpr (is_bool<T>)
    return x | y;
  else if constexpr (is_complex<T>)
    return is_nan(y) || less_or_equal(y, x) ? x : y;
  else
    return (x >= y) | (y != y) ? x : y;
}
template <class T>
T fmin_of(T x, T y) {
  if constexpr (is_bool<T>)
    return x & y;
  else if constexpr (is_complex<T>)
    return is_nan(y) || less_or_equal(x, y) ? x : y;
  else
    return (x <= y) | (y != y) ? x : y;
}

/// Uniform in [0, 1), with as many random bits as T has.
template <class T>
T uniform(protocol::philox::Words words) {
  if constexpr (std::is_same_v<T, double>)
    return protocol::philox::uniform_double(words);
  else
    return T(protocol::philox::uniform_float(words, is_half<T> ? 11 : 24));
}
template <class T>
T normal(protocol::philox::Words words) {
  return static_cast<T>(protocol::philox::normal_double(words));
}
/// Uniform integer in [low, high].
template <Integer T>
T bounded(protocol::philox::Words words, T low, T high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return static_cast<T>(static_cast<std::uint64_t>(low) + protocol::philox::below(words, range));
}
inline protocol::philox::Words words_of(std::uint64_t key, std::int64_t counter) {
  return protocol::philox::words(key, static_cast<std::uint64_t>(counter));
}
template <class T>
T uniform(std::uint64_t key, std::int64_t counter) {
  return uniform<T>(words_of(key, counter));
}
template <class T>
T normal(std::uint64_t key, std::int64_t counter) {
  return normal<T>(words_of(key, counter));
}
template <Integer T>
T bounded(std::uint64_t key, std::int64_t counter, T low, T high) {
  return bounded<T>(words_of(key, counter), low, high);
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
