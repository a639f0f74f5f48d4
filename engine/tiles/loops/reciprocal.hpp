// SPDX-License-Identifier: BSD-3-Clause
// Quotients of 64-bit integers by one divisor, for integer_quotients.hpp: the upper half of a product instead
// of the processor's division, which takes ten times as long. Source: T. Granlund and P. L. Montgomery,
// "Division by Invariant Integers using Multiplication", PLDI 1994, figures 4.1 (unsigned) and 5.1 (signed).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/tiles/loops/scalar_integer.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

/// Of the paper's names, factor_ is m', shift_ is sh_post or sh_2, first_shift_ is sh_1 and sign_ is dsign.
template <Integer T>
class Reciprocal {
  static_assert(sizeof(T) == 8);
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;

 public:
  /// Of a divisor that is not 0.
  explicit Reciprocal(T divisor) : sign_(divisor < 0 ? -1 : 0) {
    const std::uint64_t size = magnitude(divisor);
    const int width = size == 1 ? 0 : 64 - std::countl_zero(size - 1);  // 2**width is the size, or above it
    shift_ = std::max(width - 1, 0);
    if constexpr (std::is_signed_v<T>) {
      factor_ = static_cast<std::uint64_t>((Wide{1} << (64 + shift_)) / size + 1);  // modulo 2**64
    } else {
      first_shift_ = std::min(width, 1);
      factor_ = static_cast<std::uint64_t>((((Wide{1} << width) - size) << 64) / size + 1);
    }
  }

  /// x / divisor, rounded towards zero; wraps around where that does not fit.
  T quotient(T x) const {
    if constexpr (std::is_signed_v<T>) {
      const auto upper =
          static_cast<std::uint64_t>((SignedWide{static_cast<std::int64_t>(factor_)} * x) >> 64);
      const auto above = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + upper) >> shift_;
      const auto size = static_cast<std::uint64_t>(above) + (x < 0 ? 1 : 0);
      const auto sign = static_cast<std::uint64_t>(sign_);
      return static_cast<T>((size ^ sign) - sign);
    } else {
      const auto upper = static_cast<std::uint64_t>((Wide{factor_} * x) >> 64);
      return static_cast<T>((upper + ((x - upper) >> first_shift_)) >> shift_);
    }
  }

 private:
  std::int64_t sign_;
  std::uint64_t factor_ = 0;
  int shift_ = 0, first_shift_ = 0;
};

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
