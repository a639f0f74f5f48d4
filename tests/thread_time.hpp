// SPDX-License-Identifier: BSD-3-Clause
// The processor time of this thread, so that what else the machine does hardly counts.
#pragma once
#include <ctime>

namespace gamelan::testing {

/// Seconds since the thread began.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace gamelan::testing
