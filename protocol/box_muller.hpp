// SPDX-License-Identifier: BSD-3-Clause
// Logarithm and cosine of random fractions, for normal numbers by Box and Muller (philox.hpp). They are
// written with operations that every vector unit rounds alike, without branches and without fused ones, so
// that compilers make vectors of them and the bits are the same at every instruction-set level. The
// polynomials are those of fdlibm (Sun, 1993); the errors are below one unit in the last place, which a
// random number does not show.
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

/// The logarithm of number / 2**53, where number is 1 to 2**53.
[[gnu::always_inline]] inline double log_of_fraction(std::uint64_t number) {
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  constexpr std::uint64_t sqrt_half = 0x3FE6A09E667F3BCD;  // bits
  const auto bits = std::bit_cast<std::uint64_t>(whole_double(number));
  const std::uint64_t power = (bits - sqrt_half) >> 52;
  const double exponent = whole_double(power) - 53.0;
  const double f = std::bit_cast<double>(bits - (power << 52)) - 1.0;  // within sqrt(1/2) - 1 and sqrt(2) - 1
  const double s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  return exponent * ln2_high - ((half - (s * (half + (odd + even)) + exponent * ln2_low)) - f);
}

/// The cosine of number / 2**53 of a full turn, where number is below 2**53.
[[gnu::always_inline]] inline double cos_of_turn(std::uint64_t number) {
  constexpr double half_pi = 1.570796326794896619231, to_whole = 0x1.8p52;  // adding it rounds
  const double turn = whole_double(number) * 0x1p-51;                       // in quarters
  const double shifted = turn + to_whole;
  const auto quarter = std::bit_cast<std::uint64_t>(shifted);
  const double x = (turn - (shifted - to_whole)) * half_pi, z = x * x;
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
  const double sine = x + x * odd, cosine = rest + (((1.0 - rest) - half) + even);
  const double value = (quarter & 1) != 0 ? sine : cosine;
  // By quarter: cosine, -sine, -cosine, sine.
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (((quarter + 1) & 2) << 62));
}

}  // namespace gamelan::protocol::philox
