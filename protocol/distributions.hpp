// SPDX-License-Identifier: BSD-3-Clause
// The distributions other than uniform and normal. A number is a pure function of key, counter and
// parameters, the same in the kernel and on every rank. Only arithmetic that rounds alike everywhere and
// scalar libm are used, so the bits do not depend on the instruction set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gamelan::protocol {

namespace philox {
class Substream;  // distribution_methods.hpp
}

/// One row of distributions.def.
struct Distribution {
  std::string_view name;  ///< NumPy's
  int parameters;         ///< how many it takes
  double (*draw)(philox::Substream& stream, const double* parameters);
};

constexpr int most_distribution_parameters = 3;

int distribution_count();
const Distribution& distribution(int number);
/// Draws a row of numbers of distribution `number`; number i has the counter `counter + i`. Its parameter k
/// is parameters[k][i * steps[k]]. A number is NaN where a parameter is NaN, or where a rejection method
/// accepts nothing (infinite parameters). Many are drawn at a time with the instructions of `level`: 0, 1 or
/// 2 for the baseline, AVX2 or AVX-512, which this processor must have; the numbers are the same.
void draw_row(int number, int level, std::uint64_t key, std::uint64_t counter,
              std::span<const double* const> parameters, std::span<const std::int64_t> steps,
              std::span<double> out);

inline constexpr std::size_t draw_chunk = 64;

/// Draws, with the instructions of one level, the numbers of counters first, first + 1, ...: draw_chunk of
/// them. p[k][j] is parameter k of number j. NaN marks a number that is to be drawn alone: it takes more
/// rounds than the others, or its parameters are rare.
using DrawChunk = void (*)(std::uint64_t key, std::uint64_t first, const double (*p)[draw_chunk],
                           double* out);

/// What draw_row calls for a distribution at a level; null where numbers are only drawn one by one.
DrawChunk draw_chunk_of(int distribution, int level);

}  // namespace gamelan::protocol
