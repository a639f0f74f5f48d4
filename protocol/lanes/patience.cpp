// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/patience.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

namespace gamelan::protocol {

namespace {

using std::chrono::microseconds;
constexpr microseconds without_a_core{15}, core_was_taken_for{40};
constexpr int looks_between_yields = 16;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool Naps::take_one() {
  if (left_.load(std::memory_order_relaxed) <= 0) return false;
  left_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void Naps::core_was_taken() {
  const int naps = next_.load(std::memory_order_relaxed);
  left_.store(naps, std::memory_order_relaxed);
  next_.store(std::min(most, 2 * naps), std::memory_order_relaxed);
}

void Naps::waited_well() {
  const int naps = next_.load(std::memory_order_relaxed);
  if (naps > 1) next_.store(naps / 2, std::memory_order_relaxed);
}

Patience::Patience(int processes, microseconds with_a_core) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  has_a_core_ = processes <= cores;
  longest_ = has_a_core_ ? with_a_core : without_a_core;
}

bool Patience::wait_awake(const SharedCounter& counter, std::uint64_t target) {
  using Clock = std::chrono::steady_clock;
  if (counter.has_reached(target)) return true;
  if (naps_.take_one()) return false;
  const auto begin = Clock::now();
  for (auto now = begin; now - begin < longest_;) {
    for (int look = 0; look < looks_between_yields; ++look) {
      if (counter.has_reached(target)) {
        naps_.waited_well();
        return true;
      }
      pause_briefly();
    }
    sched_yield();
    const auto before = std::exchange(now, Clock::now());
    if (now - before < core_was_taken_for) continue;
    naps_.core_was_taken();
    return counter.has_reached(target);
  }
  naps_.waited_well();
  return counter.has_reached(target);
}

}  // namespace gamelan::protocol
