// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a block
// of 128 random bits is a pure function of a key and a counter. The counter is the index of the element, so
// the numbers depend neither on the number of ranks nor on the order of work, and kernel and engines draw the
// same ones. The arithmetic is the same at every instruction-set level (box_muller.hpp), so the bits are,
// too.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "protocol/box_muller.hpp"

namespace gamelan::protocol::philox {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// The ten rounds of the paper.
constexpr Block block(Block counter, Key key) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;  // golden ratio, sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

/// The block of one element as two 64-bit words.
struct Words {
  std::uint64_t first, second;
};
constexpr Words words(std::uint64_t key, std::uint64_t counter) {
  const Block bits =
      block({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
            {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
  return {bits[0] | std::uint64_t{bits[1]} << 32, bits[2] | std::uint64_t{bits[3]} << 32};
}

/// Uniform in [0, 1) with 53 random bits.
[[gnu::always_inline]] inline double uniform_double(Words drawn) {
  return static_cast<double>(drawn.first >> 11) * 0x1p-53;
}

/// Uniform in [0, 1) with the given number of random bits (24 for float, 11 for half), so that rounding never
/// gives 1.
[[gnu::always_inline]] inline float uniform_float(Words drawn, int bits = 24) {
  const std::uint64_t leading = drawn.first >> (64 - bits);
  return static_cast<float>(leading) / static_cast<float>(std::uint32_t{1} << bits);
}

/// Standard normal by Box and Muller. Both uniforms come from one block. The first is in (0, 1], so the
/// logarithm is finite.
[[gnu::always_inline]] inline double normal_double(Words drawn) {
  return std::sqrt(-2.0 * log_of_fraction((drawn.first >> 11) + 1)) * cos_of_turn(drawn.second >> 11);
}

/// Uniform in [0, range), where range 0 means 2**64: the upper word of range times a 128-bit fraction. The
/// bias is below 2**-64, and one block is always enough; with rejection it might not be.
[[gnu::always_inline]] constexpr std::uint64_t below(Words drawn, std::uint64_t range) {
  __extension__ using Wide = unsigned __int128;
  if (range == 0) return drawn.first;
  const Wide carry = (static_cast<Wide>(drawn.second) * range) >> 64;
  return static_cast<std::uint64_t>((static_cast<Wide>(drawn.first) * range + carry) >> 64);
}

/// The same from key and counter.
inline double uniform_double(std::uint64_t key, std::uint64_t counter) {
  return uniform_double(words(key, counter));
}
inline float uniform_float(std::uint64_t key, std::uint64_t counter, int bits = 24) {
  return uniform_float(words(key, counter), bits);
}
inline double normal_double(std::uint64_t key, std::uint64_t counter) {
  return normal_double(words(key, counter));
}
constexpr std::uint64_t below(std::uint64_t key, std::uint64_t counter, std::uint64_t range) {
  return below(words(key, counter), range);
}

}  // namespace gamelan::protocol::philox
