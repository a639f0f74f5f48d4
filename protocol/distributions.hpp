// SPDX-License-Identifier: BSD-3-Clause
// The distributions other than uniform and normal. A number is a pure function of key, counter and
// parameters, the same in the kernel and on every rank. Only arithmetic that rounds alike everywhere and
// scalar libm are used, so the bits do not depend on the instruction set.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/substream.hpp"

namespace gamelan::protocol {

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

}  // namespace gamelan::protocol
