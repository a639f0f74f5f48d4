// SPDX-License-Identifier: BSD-3-Clause
// What a piece of code allocates. A program that links allocations.cpp has its own operator new, which counts
// for the thread that calls it; the planner and the layouts allocate by nothing else.
#pragma once
#include <cstdint>

namespace gamelan::tests {

struct Allocations {
  std::int64_t count = 0;  ///< calls of operator new
  std::int64_t bytes = 0;  ///< asked for in all of them
  std::int64_t live = 0;   ///< asked for and not yet given back
  std::int64_t peak = 0;   ///< largest `live` since `restart_peak`
};

/// Of this thread, since it began.
const Allocations& allocations();
/// From here on `peak` is counted anew, from what is live now.
void restart_peak();

}  // namespace gamelan::tests
