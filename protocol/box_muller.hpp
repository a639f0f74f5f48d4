// SPDX-License-Identifier: BSD-3-Clause
// Logarithm and cosine of random fractions, for normal numbers by Box and Muller (philox.hpp), and what other
// distributions need: the logarithm and the exponential of a double. They are written with operations that
// every vector unit rounds alike, without branches and without fused ones, so that compilers make vectors of
// them and the bits are the same at every instruction-set level. The polynomials are those of fdlibm (Sun,
// 1993). Measured errors, in units in the last place: below 1 for logarithms and exponentials, 2.4 for expm1,
// 1.8 for the cosine, whose argument is rounded once more, 3 for a normal number made of them. Random numbers
// do not show it.
#pragma once
#include <bit>
#include <cstdint>

namespace gamelan::protocol::philox {

/// A whole number up to 2**53 as a double: its halves become the low bits of 2**52 and of 2**84.
[[gnu::always_inline]] inline double whole_double(std::uint64_t number) {
  const double low = std::bit_cast<double>(0x4330000000000000U | (number & 0xFFFFFFFFU)) - 0x1p52;
  const double high = std::bit_cast<double>(0x4530000000000000U | number >> 32) - 0x1p84;
  return high + low;
}

/// The logarithm of x / 2**shift, where x is positive and not subnormal.
[[gnu::always_inline]] inline double log_of_scaled(double x, double shift) {
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD, one = 0x3FF0000000000000;  // bits
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t power = (bits + (one - sqrt_half)) >> 52;  // 1023 more than x has
  const double exponent = (std::bit_cast<double>(0x4330000000000000U | power) - 0x1p52) - (1023.0 + shift);
  const double f =
      std::bit_cast<double>(bits - (power << 52) + one) - 1.0;  // within sqrt(1/2) - 1 and sqrt(2) - 1
  const double s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  return exponent * ln2_high - ((half - (s * (half + (odd + even)) + exponent * ln2_low)) - f);
}

/// The logarithm of number / 2**53, where number is 1 to 2**53.
[[gnu::always_inline]] inline double log_of_fraction(std::uint64_t number) {
  return log_of_scaled(whole_double(number), 53.0);
}

/// The logarithm of a positive x that is not subnormal.
[[gnu::always_inline]] inline double log_of(double x) { return log_of_scaled(x, 0.0); }

/// 2**whole, where whole is a whole number from -1022 to 1023.
[[gnu::always_inline]] inline double power_of_two(double whole) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(whole + (0x1p52 + 1023.0)) << 52);
}

/// The exponential of x; 0 and infinity where it is out of range.
[[gnu::always_inline]] inline double exp_of(double x) {
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr double per_ln2 = 1.44269504088896338700, to_whole = 0x1.8p52;  // adding it rounds
  const double above = x < -746.0 ? -746.0 : x, bounded = above > 710.0 ? 710.0 : above;
  const double power = (bounded * per_ln2 + to_whole) - to_whole;
  const double high = bounded - power * ln2_high, low = power * ln2_low;
  const double r = high - low, t = r * r;
  const double c = r - t * (1.66666666666666019037e-01 +
                            t * (-2.77777777770155933842e-03 +
                                 t * (6.61375632143793436117e-05 +
                                      t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double value = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  // By 2**power in two steps: the result may be subnormal.
  const double half = (power * 0.5 + to_whole) - to_whole, rest = power - half;
  return value * power_of_two(half) * power_of_two(rest);
}

/// exp(x) - 1 for x that is not below 0 (Kahan's quotient where they are near).
[[gnu::always_inline]] inline double expm1_of(double x) {
  const double value = exp_of(x), less = value - 1.0;
  const double log = log_of(value < 4.0 ? value : 4.0);
  const double ratio = x / (log > 0.0 ? log : 1.0);  // 1, but for rounding, where it is used
  return x < 1.0 ? (log > 0.0 ? less : 1.0) * ratio : less;
}

/// Sine and cosine of a fraction of a quarter turn, from -1/2 to 1/2, and in which quarter it was.
struct InQuarter {
  double sine, cosine;
  std::uint64_t quarter;
};
[[gnu::always_inline]] inline InQuarter in_quarter(double quarters) {
  constexpr double half_pi = 1.570796326794896619231, to_whole = 0x1.8p52;  // adding it rounds
  const double shifted = quarters + to_whole;
  const double x = (quarters - (shifted - to_whole)) * half_pi, z = x * x;
  const double odd =
      z * (-1.66666666666666324348e-01 +
           z * (8.33333333332248946124e-03 +
                z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 +
                          z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double even = z * z *
                      (4.16666666666666019037e-02 +
                       z * (-1.38888888888741095749e-03 +
                            z * (2.48015872894767294178e-05 +
                                 z * (-2.75573143513906633035e-07 +
                                      z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z, rest = 1.0 - half;
  return {x + x * odd, rest + (((1.0 - rest) - half) + even), std::bit_cast<std::uint64_t>(shifted)};
}

/// The cosine of number / 2**53 of a full turn, where number is below 2**53.
[[gnu::always_inline]] inline double cos_of_turn(std::uint64_t number) {
  const auto [sine, cosine, quarter] = in_quarter(whole_double(number) * 0x1p-51);
  const double value = (quarter & 1) != 0 ? sine : cosine;
  // By quarter: cosine, -sine, -cosine, sine.
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (((quarter + 1) & 2) << 62));
}

/// The tangent of number / 2**53 of a half turn less a quarter turn, where number is odd and below 2**53.
[[gnu::always_inline]] inline double tan_of_turn(std::uint64_t number) {
  const auto [sine, cosine, quarter] = in_quarter(whole_double(number) * 0x1p-52);
  const bool is_odd = (quarter & 1) != 0;
  return (is_odd ? sine : -cosine) / (is_odd ? cosine : sine);
}

}  // namespace gamelan::protocol::philox
