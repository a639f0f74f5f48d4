// SPDX-License-Identifier: BSD-3-Clause
// Loops of integer division, for elementwise_loops.cpp: floor_divide, remainder and fmod without the
// processor's division, which has no vector form. Quotients of numbers of at most 32 bits are exact in
// floating point. Those of 8 bits by one divisor are the upper half of a product, and so are those of 64 bits
// where there is no AVX-512. With it, a vector of them is found in two steps of a product with the divisor's
// inverse in floating point. The results are those of scalar_integer.hpp, bit by bit.
#pragma once
#include <bit>

#include "engine/tiles/loops/reciprocal.hpp"
#include "engine/tiles/loops/scalar_integer.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

template <protocol::Op op, class T>
inline constexpr bool is_quotient = Integer<T> && (op == protocol::Op::floor_divide ||
                                                   op == protocol::Op::remainder || op == protocol::Op::fmod);

/// What the op makes of a quotient rounded towards zero and the rest that goes with it.
template <protocol::Op op, Integer T>
T quotient_or_rest(T quotient, T rest, T divisor) {
  if constexpr (op == protocol::Op::fmod) return rest;
  const bool is_above = std::is_signed_v<T> && rest != 0 && ((rest < 0) != (divisor < 0));
  if constexpr (op == protocol::Op::floor_divide)
    return static_cast<T>(quotient - (is_above ? 1 : 0));
  else
    return static_cast<T>(rest + (is_above ? divisor : T(0)));
}

/// Division of numbers of at most 32 bits. No quotient lies so near to a whole number that the division in
/// floating point reaches it.
template <protocol::Op op, Integer T>
T divide_in_floats(T x, T y) {
  using Float = std::conditional_t<sizeof(T) <= 2, float, double>;
  const bool is_zero = y == 0, is_minus_one = std::is_signed_v<T> && y == T(-1);
  const T divisor = is_zero | is_minus_one ? T(1) : y;
  const Float ratio = static_cast<Float>(x) / static_cast<Float>(divisor);
  T quotient;
  if constexpr (std::is_same_v<T, std::uint32_t>)  // vectors convert to signed numbers only
    quotient =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(__builtin_trunc(ratio) - 0x1p31)) ^ 0x80000000U;
  else
    quotient = static_cast<T>(static_cast<std::int32_t>(ratio));
  const T rest = static_cast<T>(x - quotient * divisor);
  const T result = quotient_or_rest<op, T>(quotient, rest, divisor);
  if constexpr (op != protocol::Op::floor_divide) return result;  // 0 for both
  return is_zero ? T(0) : is_minus_one ? static_cast<T>(-x) : result;
}

template <protocol::Op op, Integer T>
T divide_one(T x, T y) {
  if constexpr (op == protocol::Op::floor_divide)
    return floor_divide_of(x, y);
  else if constexpr (op == protocol::Op::remainder)
    return remainder_of(x, y);
  else
    return fmod_of(x, y);
}

template <protocol::Op op, Integer T>
void divide_each(const T* x, const T* y, T* result, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t j = 0; j < n; ++j) {
    if constexpr (sizeof(T) <= 4)
      result[j] = divide_in_floats<op>(x[j], y[j]);
    else
      result[j] = divide_one<op>(x[j], y[j]);
  }
}

/// Division by 2 ** shift.
template <protocol::Op op, Integer T>
T divide_by_power(T x, int shift) {
  const T mask = static_cast<T>((T(1) << shift) - 1);
  if constexpr (op == protocol::Op::floor_divide) return static_cast<T>(x >> shift);
  const T rest = static_cast<T>(x & mask);
  if constexpr (op == protocol::Op::remainder || !std::is_signed_v<T>) return rest;
  return static_cast<T>(rest - (x < 0 && rest != 0 ? mask + 1 : 0));
}

#ifdef __AVX512DQ__
/// Division of 64 bits by a divisor below 2**62, given its inverse. The first product is wrong by less than
/// 2**12 or so, the second by one.
template <protocol::Op op, Integer T>
T divide_by_product(T x, T divisor, double inverse) {
  const auto by = static_cast<std::int64_t>(divisor);
  auto quotient = static_cast<std::int64_t>(static_cast<double>(x) * inverse);
  auto rest = static_cast<std::int64_t>(x) - quotient * by;
  const auto more = static_cast<std::int64_t>(static_cast<double>(rest) * inverse);
  quotient += more;
  rest -= more * by;
  const std::int64_t below = rest != 0 && ((rest < 0) != (by < 0)) ? 1 : 0;
  quotient -= below;
  rest += below != 0 ? by : 0;
  const bool is_full = rest == by;
  quotient += is_full ? 1 : 0;
  rest = is_full ? 0 : rest;
  if constexpr (op == protocol::Op::floor_divide) return static_cast<T>(quotient);
  if constexpr (op == protocol::Op::remainder || !std::is_signed_v<T>) return static_cast<T>(rest);
  return static_cast<T>(rest - (rest != 0 && ((x < 0) != (by < 0)) ? by : 0));
}

#endif

/// Division of 8 bits, given 2**16 / |divisor| rounded up, where |divisor| is above 1: the product is too
/// large by less than 2**8, which is less than what is missing to the next quotient.
template <protocol::Op op, Integer T>
T divide_in_upper_half(T x, T divisor, std::uint16_t inverse) {
  const std::uint16_t size = magnitude(x);
  const auto upper = static_cast<std::uint16_t>(std::uint32_t{size} * inverse >> 16);
  const bool is_negative = (x < 0) != (divisor < 0);
  const T quotient = static_cast<T>(is_negative ? -upper : upper);
  return quotient_or_rest<op, T>(quotient, static_cast<T>(x - quotient * divisor), divisor);
}

template <protocol::Op op, Integer T>
void divide_by(const T* x, T y, T* result, std::size_t n) {
  if (y > 0 && std::has_single_bit(static_cast<std::make_unsigned_t<T>>(y))) {
    const int shift = std::countr_zero(static_cast<std::make_unsigned_t<T>>(y));
#pragma GCC ivdep
    for (std::size_t j = 0; j < n; ++j) result[j] = divide_by_power<op>(x[j], shift);
    return;
  }
  if constexpr (sizeof(T) == 1) {
    if (magnitude(y) > 1) {
      const auto inverse = static_cast<std::uint16_t>(0xFFFF / magnitude(y) + 1);
#pragma GCC ivdep
      for (std::size_t j = 0; j < n; ++j) result[j] = divide_in_upper_half<op>(x[j], y, inverse);
      return;
    }
  }
  if constexpr (sizeof(T) <= 4) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < n; ++j) result[j] = divide_in_floats<op>(x[j], y);
  } else {
#ifdef __AVX512DQ__
    if (y != 0 && magnitude(y) > 1 && magnitude(y) < std::uint64_t{1} << 62) {
      const double inverse = 1.0 / static_cast<double>(y);
#pragma GCC ivdep
      for (std::size_t j = 0; j < n; ++j) result[j] = divide_by_product<op>(x[j], y, inverse);
      return;
    }
#else
    if (y != 0 && magnitude(y) > 1) {
      const Reciprocal<T> reciprocal(y);
#pragma GCC ivdep
      for (std::size_t j = 0; j < n; ++j) {
        const T quotient = reciprocal.quotient(x[j]);
        result[j] = quotient_or_rest<op, T>(quotient, static_cast<T>(x[j] - quotient * y), y);
      }
      return;
    }
#endif
    for (std::size_t j = 0; j < n; ++j) result[j] = divide_one<op>(x[j], y);
  }
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
