// SPDX-License-Identifier: BSD-3-Clause
// The one rule by which every competitor of the bench makes its inputs, element by element and without any
// exchange: the same numbers as tests/bench/inputs.py. Used at set-up only, never timed.
#pragma once
#include <cstdint>

namespace gamelan::bench {

/// Element `k` of input number `s`: uniform in [0, 1), 53 bits of splitmix64(k + s * step).
inline double uniform(std::uint64_t s, std::uint64_t k) {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;
  std::uint64_t z = k + s * step + step;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

inline double uniform(std::uint64_t s, std::int64_t k) { return uniform(s, static_cast<std::uint64_t>(k)); }

}  // namespace gamelan::bench
