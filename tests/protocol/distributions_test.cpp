// SPDX-License-Identifier: BSD-3-Clause
// Numbers drawn many at a time are those drawn one by one, bit by bit, at each instruction-set level of this
// processor, whatever the parameters and wherever a row begins.
#include "protocol/distributions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace gamelan::protocol {
namespace {

constexpr std::uint64_t key = 0x123456789ABCDEF, counter = (std::uint64_t{1} << 33) - 70;
constexpr std::size_t count = 1500;

int highest_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 2;
  if (__builtin_cpu_supports("avx2")) return 1;
#endif
  return 0;
}

using Parameters = std::array<std::vector<double>, most_distribution_parameters>;

/// In rows of `length`; rows of a few numbers are drawn one by one.
std::vector<double> drawn(int number, int level, const Parameters& p, bool are_arrays, std::size_t length) {
  std::vector<double> out(count);
  const auto parameters = static_cast<std::size_t>(distribution(number).parameters);
  const std::vector<std::int64_t> steps(parameters, are_arrays ? 1 : 0);
  for (std::size_t done = 0; done < count; done += length) {
    std::vector<const double*> rows;
    for (std::size_t k = 0; k < parameters; ++k) rows.push_back(p[k].data() + (are_arrays ? done : 0));
    draw_row(number, level, key, counter + done, rows, steps,
             std::span(out).subspan(done, std::min(length, count - done)));
  }
  return out;
}

void expect_same_bits(const std::vector<double>& got, const std::vector<double>& expected, int number) {
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(expected[i]))
        << distribution(number).name << " number " << i << ": " << got[i] << ", one by one " << expected[i];
}

void expect_chunks_to_change_nothing(const Parameters& p, bool are_arrays) {
  for (int number = 0; number < distribution_count(); ++number) {
    const auto one_by_one = drawn(number, 0, p, are_arrays, 5);
    for (int level = 0; level <= highest_level(); ++level)
      for (const std::size_t length : {std::size_t{6}, std::size_t{100}, count})
        expect_same_bits(drawn(number, level, p, are_arrays, length), one_by_one, number);
  }
}

TEST(Distributions, ChunksAreTheSameNumbers) {
  // Within what every distribution takes, or what it answers to nonsense: both ways alike.
  for (const auto& each : std::vector<std::array<double, 3>>{{0.3, 0.4, 1.0},
                                                             {1.0, 1.0, 3.0},
                                                             {1.5, 2.5, 7.0},
                                                             {3.0, 0.5, 2.0},
                                                             {12.0, 0.3, 9.0},
                                                             {25.0, 0.9, 40.0},
                                                             {1000.0, 0.45, 100.0},
                                                             {0.0, 1.0, 2.0},
                                                             {1e-3, 1e-3, 1.0},
                                                             {1e9, 0.5, 1e3}})
    expect_chunks_to_change_nothing({std::vector{each[0]}, std::vector{each[1]}, std::vector{each[2]}},
                                    false);
}

TEST(Distributions, ChunksTakeAParameterForEachNumber) {
  Parameters p;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    p[0].push_back(i % 997 == 5 ? std::nan("") : i < count / 2 ? 1.0 + x / 100 : std::fmod(x, 13.0) / 4);
    p[1].push_back(0.01 + std::fmod(x * 0.37, 0.98));
    p[2].push_back(3.0 + std::fmod(x, 7.0));
  }
  expect_chunks_to_change_nothing(p, true);
}

TEST(Distributions, ChunksWhereNeighboursTakeOtherMethods) {
  Parameters p;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    p[0].push_back(i % 3 == 0 ? 1.0 : i % 31 == 1 ? 0.0 : 1.0 + std::fmod(x * 1.7, 25.0));  // about 10: both
    p[1].push_back(i % 50 == 7 ? 1.0 : 0.1 + std::fmod(x * 0.37, 0.85));
    p[2].push_back(3.0 + std::fmod(x, 7.0));
  }
  expect_chunks_to_change_nothing(p, true);
}

TEST(Distributions, NanWhereAParameterIsNan) {
  const double nothing = std::nan("");
  for (int number = 0; number < distribution_count(); ++number) {
    if (distribution(number).parameters == 0) continue;
    const auto x = drawn(number, highest_level(),
                         {std::vector{nothing}, std::vector{nothing}, std::vector{nothing}}, false, count);
    for (const double each : x) ASSERT_TRUE(std::isnan(each)) << distribution(number).name;
  }
}

}  // namespace
}  // namespace gamelan::protocol
