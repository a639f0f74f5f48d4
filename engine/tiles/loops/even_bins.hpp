// SPDX-License-Identifier: BSD-3-Clause
// Bins of equal width, many numbers at once. run_count.cpp asks; the loop is defined by even_bin_loop.cpp
// once per instruction-set level, with the same results at each.
#pragma once
#include <cstdint>

namespace gamelan::engine::tiles {

/// The place of a number x is (x - first) * scale, from 0 to `bins`: its whole part is the bin, unless it
/// lies so near an edge that only the edge can say.
struct EvenBins {
  static constexpr double near_an_edge = 1.0 / (1 << 16);  ///< of the width of a bin
  double first = 0, scale = 0;
  std::int32_t bins = 0;

  double place(double x) const { return (x - first) * scale; }
};

/// Writes the whole part of the place of each number. False where a number is near an edge, outside or NaN:
/// then what was written may be wrong.
using EvenBinLoop = bool (*)(const EvenBins&, const double* numbers, std::int64_t count, std::int32_t* bin);
EvenBinLoop even_bin_loop();

#define GAMELAN_DECLARE_LEVEL(level) \
  namespace level {                  \
  EvenBinLoop even_bin_loop();       \
  }
GAMELAN_DECLARE_LEVEL(baseline)
GAMELAN_DECLARE_LEVEL(avx2)
#undef GAMELAN_DECLARE_LEVEL

}  // namespace gamelan::engine::tiles
