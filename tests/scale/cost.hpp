// SPDX-License-Identifier: BSD-3-Clause
// What planning a program and finding the parts of single ranks costs at some number of ranks: time of this thread, and
// allocations.
#pragma once
#include "tests/scale/programs.hpp"
#include "tests/scale/simulated_rank.hpp"

namespace gamelan::tests {

struct Cost {
  double plan_us = 0, part_us = 0;  ///< part: of one rank
  std::int64_t plan_bytes = 0, part_bytes = 0;  ///< allocated, all in all
  std::int64_t plan_live = 0;  ///< bytes of the finished plan
  Part part;                   ///< of the rank with the most cells
  double us() const { return plan_us + part_us; }
  std::int64_t bytes() const { return plan_bytes + part_bytes; }
};

/// Plans once, and takes the parts of a few ranks, the first and the last among them; the dearest counts.
Cost measure(const Program& program, int ranks);
/// Medians of several; of programs that take long, of fewer.
Cost measure_well(const Program& program, int ranks);

}  // namespace gamelan::tests
