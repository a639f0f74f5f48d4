// SPDX-License-Identifier: BSD-3-Clause
// What planning a program and finding the parts of single ranks costs at some number of ranks: time of this
// thread, and allocations.
#pragma once
#include "tests/engine/scale/programs.hpp"
#include "tests/engine/scale/simulated_rank.hpp"

namespace gamelan::tests {

struct Cost {
  double plan_us = 0, part_us = 0, mail_us = 0;  ///< part and mail: of one rank
  std::int64_t plan_bytes = 0, part_bytes = 0;   ///< allocated, all in all
  std::int64_t plan_live = 0;                    ///< bytes of the finished plan
  Part part;                                     ///< the most of any of these ranks
  Mail mail;                                     ///< of the rank with the most
  double us() const { return plan_us + part_us; }
  std::int64_t bytes() const { return plan_bytes + part_bytes; }
};

enum class With { part, mail, both };
/// Plans once, and takes the parts, or the mail, of a few ranks, the first and the last among them; the
/// dearest counts.
Cost measure(const Program& program, int ranks, With what = With::part);
/// Medians of several; of programs that take long, of fewer.
Cost measure_well(const Program& program, int ranks, With what = With::part);

}  // namespace gamelan::tests
