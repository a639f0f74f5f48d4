// SPDX-License-Identifier: BSD-3-Clause
// The table of docs/scaling.md: what a batch costs to plan, and what one rank's part of it costs to find, at
// numbers of ranks that nobody has here; then what the execution of irregular commands looks at, rank by
// rank. `scale_table [RANKS ...]`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "engine/steps/irregular/buckets.hpp"
#include "tests/engine/scale/allocations.hpp"
#include "tests/engine/scale/cost.hpp"

using namespace gamelan::tests;

namespace {

/// Fastest of a few, and the bytes that stay.
template <class Make>
void tell(const char* what, int ranks, Make make) {
  double fastest = 1e30;
  std::int64_t bytes = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto live = allocations().live;
    const auto start = std::chrono::steady_clock::now();
    const auto made = make();
    fastest = std::min(
        fastest, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    bytes = allocations().live - live;
  }
  std::printf("| %s | %d | %.1f | %.1f |\n", what, ranks, fastest, static_cast<double>(bytes) / 1024);
}

/// engine/steps/irregular/segments.cpp: where the rows of a shared axis lie.
std::vector<gamelan::engine::distribution::Piece> segments(
    const gamelan::engine::distribution::Layout& layout) {
  namespace distribution = gamelan::engine::distribution;
  const auto extents = layout.extents();
  const auto box =
      distribution::box_of_base(gamelan::protocol::whole(1, gamelan::protocol::Dtype::float64, extents),
                                extents, gamelan::protocol::Dtype::float64);
  const auto placement = distribution::place(layout, *box, extents, 8);
  const distribution::Placement* operand = &placement;
  std::vector<distribution::Piece> found;
  distribution::for_each_cell(
      {{0, extents[0]}}, {&operand, 1}, 0,
      [&](const auto&, std::span<const distribution::Piece> pieces) { found.push_back(pieces[0]); });
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> ranks;
  for (int i = 1; i < argc; ++i) ranks.push_back(std::atoi(argv[i]));
  if (ranks.empty()) ranks = {64, 2'048, 40'000, 49'152, 65'521, 65'536};
  std::printf(
      "| program | ranks | plan, us | part, us | plan, KiB | part, KiB | cells | of others | mail, us | "
      "sends | receives |\n"
      "| :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
  for (const auto& program : programs())
    for (const int count : ranks) {
      const Cost cost = measure_well(program, count, With::both);
      std::printf("| `%s` | %d | %.1f | %.1f | %.1f | %.1f | %lld | %lld | %.1f | %lld | %lld |\n",
                  program.text.c_str(), count, cost.plan_us, cost.part_us,
                  static_cast<double>(cost.plan_bytes) / 1024, static_cast<double>(cost.part_bytes) / 1024,
                  static_cast<long long>(cost.part.cells), static_cast<long long>(cost.part.remote),
                  cost.mail_us, static_cast<long long>(cost.mail.sends),
                  static_cast<long long>(cost.mail.receives));
      std::fflush(stdout);
    }
  std::printf("\n| for a row | ranks | us | KiB |\n| :-- | --: | --: | --: |\n");
  for (const int count : ranks) {
    const auto layout = gamelan::engine::distribution::default_layout({per_rank * count}, count);
    tell("put: buckets of all ranks", count,
         [&] { return gamelan::engine::steps::Buckets(layout.axes[0], 16); });
    tell("take: segments of all ranks", count, [&] { return segments(layout); });
  }
}
