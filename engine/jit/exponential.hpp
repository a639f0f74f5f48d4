// SPDX-License-Identifier: BSD-3-Clause
// The numbers of our exp for AVX2 (docs/decisions/035). engine/tiles/loops/math/exponential.hpp computes with
// them in loops, avx2_exponential.cpp in machine code, by the same operations in the same order: so the bits
// are the same.
//
//   n = x / ln 2, rounded;  r = x - n ln 2, in two parts;  e^x = 2^n (1 + r + r^2 q(r))
//
// q is the polynomial of degree 9 whose greatest error, as a part of e^r, is least: 2^-57.
#pragma once
#include <array>

namespace gamelan::engine::jit::exponential {

/// Within this distance from 0 the result is a normal number, and 2^n is added to its exponent.
inline constexpr double near = 708;
/// Beyond these bounds every result is infinite, or 0.
inline constexpr double above_all = 710, below_all = -746;

inline constexpr double by_ln_2 = 0x1.71547652b82fep+0;
/// 1.5 * 2^52: what is added to it is rounded to a whole number, which its low bits then are.
inline constexpr double rounder = 0x1.8p52;
/// ln 2 in two parts; the first has so few bits that n times it is exact.
inline constexpr double ln_2_high = 0x1.62e42fefa3800p-1, ln_2_low = 0x1.ef35793c76730p-45;
/// Of q: that of the highest power first.
inline constexpr std::array<double, 10> coefficients{0x1.ad202811ae817p-26, 0x1.289f81e206f79p-22,
                                                     0x1.71df5524ff19bp-19, 0x1.a019ab3577f73p-16,
                                                     0x1.a01a011c36bb0p-13, 0x1.6c16c17cc0d1dp-10,
                                                     0x1.1111111128830p-7,  0x1.555555555320dp-5,
                                                     0x1.5555555555501p-3,  0.5};

inline constexpr int fraction_bits = 52;
inline constexpr unsigned long long exponent_of_1 = 1023ULL << fraction_bits;

}  // namespace gamelan::engine::jit::exponential
