// SPDX-License-Identifier: BSD-3-Clause
// philox::words, and normal numbers made of them, of many counters at once, with the instructions that this
// processor has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace gamelan::kernel {

/// The level of this processor: 0, 1 or 2 for the baseline, AVX2 or AVX-512.
int random_level();

/// The words of counters first, first + 1, ...
struct RandomWords {
  static constexpr std::size_t count = 64;
  std::uint64_t one[count], two[count];
  void draw(std::uint64_t key, std::uint64_t first);
};

/// The normal numbers of counters first, first + 1, ...
struct RandomNormals {
  static constexpr std::size_t count = 64;
  double values[count];
  void draw(std::uint64_t key, std::uint64_t first);
};

/// The stable order of the first words of counters first, first + 1, ...: a random permutation.
void random_order(std::uint64_t key, std::uint64_t first, std::span<std::int64_t> order);

}  // namespace gamelan::kernel
