// SPDX-License-Identifier: BSD-3-Clause
// Planning, and finding a rank's part of the plan, cost the same for 64 ranks as for 65,536: for every kind of command,
// and for rank counts that hardly factorise. Times are this thread's, medians, compared within one run.
#include <gtest/gtest.h>

#include <cctype>

#include "tests/scale/cost.hpp"

namespace gamelan::tests {
namespace {

constexpr int few = 64;
constexpr double most = 2;  // times as much as at few ranks
constexpr int attempts = 3;  // another load on the machine may disturb a measurement, not each of three

class Scale : public testing::TestWithParam<Program> {};

/// How many times as dear. Parts of redistributions have as many cells as there are shares: there the cell counts.
double growth(const Program& program, const Cost& many, const Cost& base) {
  if (!program.is_redistribution) return many.us() / base.us();
  const double cells = static_cast<double>(many.part.cells) / static_cast<double>(base.part.cells);
  return std::max(many.plan_us / base.plan_us, many.part_us / (base.part_us * std::max(cells, 1.0)));
}

TEST_P(Scale, time_does_not_grow_with_the_ranks) {
  const auto& program = GetParam();
  for (const int many : {2'048, 40'000, 49'152, 65'521, 65'536}) {
    double ratio = 0;
    for (int attempt = 0; attempt < attempts && (attempt == 0 || ratio > most); ++attempt)
      ratio = growth(program, measure_well(program, many), measure_well(program, few));
    EXPECT_LE(ratio, most) << program.text << " at " << many << " ranks";
  }
}

TEST_P(Scale, memory_does_not_grow_with_the_ranks) {
  const auto& program = GetParam();
  const Cost base = measure(program, few);
  for (const int many : {2'048, 40'000, 49'152, 65'521, 65'536}) {
    const Cost cost = measure(program, many);
    EXPECT_LE(static_cast<double>(cost.plan_live), most * static_cast<double>(base.plan_live)) << program.text << " at " << many << " ranks";
    if (program.is_redistribution) {
      EXPECT_LE(cost.part_bytes, 4096 + 128 * cost.part.cells) << program.text << " at " << many << " ranks";
    } else {
      EXPECT_LE(static_cast<double>(cost.bytes()), most * static_cast<double>(base.bytes())) << program.text << " at " << many << " ranks";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Scale, testing::ValuesIn(programs()), [](const auto& tested) {
  std::string name;
  for (const char c : tested.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace gamelan::tests
