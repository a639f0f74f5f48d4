// SPDX-License-Identifier: BSD-3-Clause
// The table of docs/scaling.md: what a batch costs to plan, and what one rank's part of it costs to find, at numbers of
// ranks that nobody has here. `scale_table [RANKS ...]`.
#include <cstdio>
#include <cstdlib>

#include "tests/scale/cost.hpp"

using namespace gamelan::tests;

int main(int argc, char** argv) {
  std::vector<int> ranks;
  for (int i = 1; i < argc; ++i) ranks.push_back(std::atoi(argv[i]));
  if (ranks.empty()) ranks = {64, 2'048, 40'000, 49'152, 65'521, 65'536};
  std::printf("| program | ranks | plan, us | part, us | plan, KiB | part, KiB | cells | of others |\n| :-- | --: | --: | --: | --: | --: | --: | --: |\n");
  for (const auto& program : programs())
    for (const int count : ranks) {
      const Cost cost = measure_well(program, count);
      std::printf("| `%s` | %d | %.1f | %.1f | %.1f | %.1f | %lld | %lld |\n", program.text.c_str(), count, cost.plan_us, cost.part_us,
                  static_cast<double>(cost.plan_bytes) / 1024, static_cast<double>(cost.part_bytes) / 1024, static_cast<long long>(cost.part.cells),
                  static_cast<long long>(cost.part.remote));
      std::fflush(stdout);
    }
}
