// SPDX-License-Identifier: BSD-3-Clause
// What several tests of the loops need: all dtypes, the levels of this processor, buffers of plausible
// values.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/tiles/loops/elementwise.hpp"
#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {

inline constexpr std::array all_dtypes{
    protocol::Dtype::bool_,     protocol::Dtype::int8,      protocol::Dtype::uint8,
    protocol::Dtype::int16,     protocol::Dtype::uint16,    protocol::Dtype::int32,
    protocol::Dtype::uint32,    protocol::Dtype::int64,     protocol::Dtype::uint64,
    protocol::Dtype::float16,   protocol::Dtype::float32,   protocol::Dtype::float64,
    protocol::Dtype::complex64, protocol::Dtype::complex128};

inline std::vector<Isa> levels_here() {
  std::vector<Isa> levels{Isa::baseline};
  for (const Isa level : {Isa::avx2, Isa::avx512})
    if (best_isa() >= level) levels.push_back(level);
  return levels;
}

/// Puts the level back at the end of a test.
class LevelGuard {
 public:
  ~LevelGuard() { set_isa(best_isa()); }
};

using Buffer = std::vector<std::byte>;

/// `count` values of a dtype between low and high, complex ones in both parts.
inline Buffer random_values(std::mt19937& random, protocol::Dtype dtype, std::size_t count, double low,
                            double high) {
  using protocol::Dtype;
  const bool is_complex = protocol::info(dtype).kind == 'c';
  const std::size_t item = protocol::size_of(dtype), parts = is_complex ? 2 : 1;
  const Dtype part = dtype == Dtype::complex64 ? Dtype::float32 : is_complex ? Dtype::float64 : dtype;
  Buffer result(count * item);
  std::uniform_real_distribution<double> uniform(low, high);
  for (std::size_t k = 0; k < count * parts; ++k) {
    const double value =
        dtype == Dtype::bool_ ? static_cast<double>(uniform(random) > (low + high) / 2) : uniform(random);
    find_cast(Dtype::float64, part)(reinterpret_cast<const std::byte*>(&value), 0,
                                    result.data() + k * item / parts, 0, 1);
  }
  return result;
}

}  // namespace gamelan::engine::tiles
