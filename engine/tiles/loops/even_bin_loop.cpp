// SPDX-License-Identifier: BSD-3-Clause
// The loop of even_bins.hpp, built once per instruction-set level.
#include <cmath>

#include "engine/tiles/loops/even_bins.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

bool find(const EvenBins& even, const double* numbers, std::int64_t count, std::int32_t* bin) {
  const double first = even.first, scale = even.scale, last = even.bins;
  constexpr double inside = 0.5 - EvenBins::near_an_edge;  // so far from a bin's middle at most
  std::int64_t unsure = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    double place = (numbers[i] - first) * scale;
    place = place > 0 ? place : 0;  // also of NaN; the ends are edges
    place = place < last ? place : last;
    const auto whole = static_cast<std::int32_t>(place);
    bin[i] = whole;
    unsure |= std::abs(place - whole - 0.5) <= inside ? 0 : 1;
  }
  return unsure == 0;
}

}  // namespace

EvenBinLoop even_bin_loop() { return find; }

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
