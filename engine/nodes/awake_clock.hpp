// SPDX-License-Identifier: BSD-3-Clause
// Time in which this process ran. While it is stopped (scontrol suspend, gang scheduling, SIGSTOP, a virtual
// machine on pause) it hears nobody, so that time does not count as silence of the others. A thread that
// measures silence calls look() again and again.
#pragma once
#include <algorithm>
#include <chrono>
#include <utility>

namespace gamelan::engine::nodes {

class AwakeClock {
 public:
  /// A longer time between two looks means that this process was stopped; it counts as `longest_look_s`.
  explicit AwakeClock(double longest_look_s) : longest_look_s_(longest_look_s) {}

  /// Seconds since the last look.
  double look() {
    const auto before = std::exchange(last_look_, std::chrono::steady_clock::now());
    return std::min(std::chrono::duration<double>(last_look_ - before).count(), longest_look_s_);
  }

 private:
  const double longest_look_s_;
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

}  // namespace gamelan::engine::nodes
