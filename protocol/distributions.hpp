// SPDX-License-Identifier: BSD-3-Clause
// The distributions beyond uniform and normal: a number is a pure function of key, counter and parameters,
// the same in the kernel and on any rank. Scalar arithmetic and scalar libm, so that no instruction set
// changes a bit.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/substream.hpp"

namespace gamelan::protocol {

struct Distribution {
  std::string_view name;  ///< NumPy's
  int parameters;         ///< how many it takes
  double (*draw)(philox::Substream& stream, const double* parameters);
};

constexpr int most_distribution_parameters = 3;

int distribution_count();
const Distribution& distribution(int number);
/// A row of numbers whose counters follow each other. Parameter k of number i is parameters[k][i * steps[k]].
/// Where one is a NaN, or a rejection method finds nothing that it accepts (parameters at infinity), the
/// number is a NaN.
void draw_row(int number, std::uint64_t key, std::uint64_t counter, std::span<const double* const> parameters,
              std::span<const std::int64_t> steps, std::span<double> out);

}  // namespace gamelan::protocol
