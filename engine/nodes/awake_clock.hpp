// SPDX-License-Identifier: BSD-3-Clause
// Time as this process has lived it. While it is stopped (scontrol suspend, gang scheduling, SIGSTOP, a
// virtual machine on pause) nobody speaks and nobody listens, so that time is no silence of the others.
// Whoever waits looks again and again.
#pragma once
#include <algorithm>
#include <chrono>
#include <utility>

namespace gamelan::engine::nodes {

class AwakeClock {
 public:
  /// A longer time between two looks is one in which we were stopped, and counts as this.
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
