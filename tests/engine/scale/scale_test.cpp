// SPDX-License-Identifier: BSD-3-Clause
// Planning, and finding a rank's part of the plan, cost the same for 64 ranks as for 65,536: for every kind
// of command, and for rank counts that hardly factorise. Times are this thread's, medians, compared within
// one run.
#include <gtest/gtest.h>

#include <cctype>

#include "tests/engine/scale/cost.hpp"

namespace gamelan::tests {
namespace {

constexpr int few = 64;
constexpr double most = 2;  // times as much memory as at few ranks
constexpr double most_time =
    3;  // more of the same list may have left the caches; a loop over ranks would be a thousand times as dear
constexpr double most_per_message = 4;  // lists of 65,000 messages do not stay in the caches
constexpr int attempts = 3;  // another load on the machine may disturb a measurement, not each of three

class Scale : public testing::TestWithParam<Program> {};

/// How many times as dear. Parts of redistributions have as many cells as there are shares: there the cell
/// counts.
double growth(const Program& program, const Cost& many, const Cost& base) {
  if (!program.is_redistribution) return many.us() / base.us();
  const double cells = static_cast<double>(many.part.cells) / static_cast<double>(base.part.cells);
  return std::max(many.plan_us / base.plan_us, many.part_us / (base.part_us * std::max(cells, 1.0)));
}

TEST_P(Scale, time_does_not_grow_with_the_ranks) {
  const auto& program = GetParam();
  for (const int many : {2'048, 40'000, 49'152, 65'521, 65'536}) {
    double ratio = 0;
    for (int attempt = 0; attempt < attempts && (attempt == 0 || ratio > most_time); ++attempt)
      ratio = growth(program, measure_well(program, many), measure_well(program, few));
    EXPECT_LE(ratio, most_time) << program.text << " at " << many << " ranks";
  }
}

/// How many messages there are is the command's nature (docs/scaling.md lists them); that finding them costs
/// no more than they are, and does not look at ranks with which there are none, is ours.
TEST_P(Scale, a_message_costs_the_same_at_any_number_of_ranks) {
  const auto& program = GetParam();
  for (const int many : {2'048, 65'521, 65'536}) {
    double ratio = 0;
    for (int attempt = 0; attempt < attempts && (attempt == 0 || ratio > most_per_message); ++attempt) {
      const Cost cost = measure_well(program, many, With::mail),
                 base = measure_well(program, few, With::mail);
      const double messages =
          static_cast<double>(cost.mail.all() + 4) / static_cast<double>(base.mail.all() + 4);
      ratio = cost.mail_us / base.mail_us / std::max(messages, 1.0);
    }
    EXPECT_LE(ratio, most_per_message) << program.text << " at " << many << " ranks";
  }
}

TEST_P(Scale, memory_does_not_grow_with_the_ranks) {
  const auto& program = GetParam();
  const Cost base = measure(program, few);
  for (const int many : {2'048, 40'000, 49'152, 65'521, 65'536}) {
    const Cost cost = measure(program, many);
    EXPECT_LE(static_cast<double>(cost.plan_live), most * static_cast<double>(base.plan_live))
        << program.text << " at " << many << " ranks";
    if (program.is_redistribution) {
      EXPECT_LE(cost.part_bytes, 4096 + 128 * cost.part.cells) << program.text << " at " << many << " ranks";
    } else {
      EXPECT_LE(static_cast<double>(cost.bytes()), most * static_cast<double>(base.bytes()))
          << program.text << " at " << many << " ranks";
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
