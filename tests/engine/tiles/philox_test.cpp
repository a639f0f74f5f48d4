// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 against the known answers published with Random123, and the distributions made of it.
#include "protocol/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace gamelan::protocol::philox {
namespace {

TEST(Philox, published_known_answers) {
  EXPECT_EQ(block({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, uniform_covers_the_unit_interval) {
  constexpr int count = 200000;
  double sum = 0, sum_of_squares = 0, lowest = 1, highest = 0;
  for (int k = 0; k < count; ++k) {
    const double value = uniform_double(7, static_cast<std::uint64_t>(k));
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    const float single = uniform_float(7, static_cast<std::uint64_t>(k));
    ASSERT_LT(single, 1.0F);
    ASSERT_NEAR(single, value, 1e-6) << "the same draw with fewer bits";
    sum += value, sum_of_squares += value * value;
    lowest = std::min(lowest, value), highest = std::max(highest, value);
  }
  EXPECT_NEAR(sum / count, 0.5, 0.003);
  EXPECT_NEAR(sum_of_squares / count, 1.0 / 3, 0.003);
  EXPECT_LT(lowest, 1e-4);
  EXPECT_GT(highest, 1 - 1e-4);
}

TEST(Philox, normal_has_its_moments) {
  constexpr int count = 200000;
  double sum = 0, square = 0, fourth = 0;
  for (int k = 0; k < count; ++k) {
    const double value = normal_double(11, static_cast<std::uint64_t>(k));
    ASSERT_TRUE(std::isfinite(value));
    sum += value, square += value * value, fourth += value * value * value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(square / count, 1, 0.02);
  EXPECT_NEAR(fourth / count, 3, 0.12);
}

TEST(Philox, logarithm_and_cosine_are_those_of_libm) {
  constexpr std::uint64_t all = std::uint64_t{1} << 53;
  constexpr double turn = 6.283185307179586476925286766559;
  const auto check = [&](std::uint64_t number) {
    const double fraction = static_cast<double>(number) / static_cast<double>(all);
    if (number > 0) {
      const double log = std::log(fraction);
      ASSERT_NEAR(log_of_fraction(number), log, 3e-16 * std::abs(log)) << number;
    }
    if (number < all) {
      ASSERT_NEAR(cos_of_turn(number), std::cos(turn * fraction), 1e-15) << number;
    }
    ASSERT_EQ(whole_double(number), static_cast<double>(number));
  };
  for (std::uint64_t k = 0; k < 100000; ++k) check(words(5, k).first >> 11);
  for (std::uint64_t eighth = 0; eighth <= 8; ++eighth)
    for (std::uint64_t step = 0; step < 20; ++step) {
      if (const auto above = eighth * (all / 8) + step; above <= all) check(above);
      if (const auto below = eighth * (all / 8); below > step) check(below - step);
    }
}

TEST(Philox, bounded_integers_are_even) {
  std::array<int, 7> seen{};
  for (std::uint64_t k = 0; k < 70000; ++k) {
    const std::uint64_t value = below(3, k, seen.size());
    ASSERT_LT(value, seen.size());
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(below(3, 5, 1), 0U);
  EXPECT_EQ(below(3, 5, 0), words(3, 5).first) << "the whole range";
  std::uint64_t largest = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) largest = std::max(largest, below(3, k, ~std::uint64_t{0}));
  EXPECT_GT(largest, ~std::uint64_t{0} / 100 * 99);
}

TEST(Philox, keys_and_counters_use_all_their_bits) {
  const Words base = words(1, 1);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    EXPECT_NE(words(1 ^ mask, 1).first, base.first) << bit;
    EXPECT_NE(words(1, 1 ^ mask).first, base.first) << bit;
  }
}

}  // namespace
}  // namespace gamelan::protocol::philox
