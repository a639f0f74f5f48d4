// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/shared_counter.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>
#include <utility>

namespace gamelan::protocol {

namespace {

// A futex has 32 bits: the low half of the counter. It only has to differ after a change, which is the case
// unless 2^32 steps pass between two looks.
static_assert(std::endian::native == std::endian::little && std::atomic<std::uint64_t>::is_always_lock_free);

using std::chrono::microseconds;
constexpr microseconds without_a_core{15}, core_was_taken{40};
constexpr int looks_between_yields = 16, most_sleeps = 16;

/// Without FUTEX_PRIVATE_FLAG, because the waiters are other processes.
long futex(std::atomic<std::uint64_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void SharedCounter::publish(std::uint64_t value) {
  // This thread stores the value and then looks for sleepers; a sleeper announces itself and then looks at
  // the value. In the one order of seq_cst operations one of the two sees the other, so no wake-up is lost.
  value_.store(value, std::memory_order_seq_cst);
  wake_sleepers();
}

void SharedCounter::add(std::uint64_t increment) {
  value_.fetch_add(increment, std::memory_order_seq_cst);
  wake_sleepers();
}

void SharedCounter::wake_sleepers() {
  if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(value_, FUTEX_WAKE, INT_MAX, nullptr);
}

bool SharedCounter::sleep_below(std::uint64_t target, std::chrono::microseconds limit) {
  bool is_undisturbed = true;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t seen = value_.load(std::memory_order_seq_cst);
  if (seen < target) {
    const timespec timeout{limit.count() / 1'000'000, limit.count() % 1'000'000 * 1'000};
    is_undisturbed =
        futex(value_, FUTEX_WAIT, static_cast<std::uint32_t>(seen), &timeout) == 0 || errno != EINTR;
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return is_undisturbed;
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
  if (sleeps_left_.load(std::memory_order_relaxed) > 0) {
    sleeps_left_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  const auto begin = Clock::now();
  for (auto now = begin; now - begin < longest_;) {
    for (int look = 0; look < looks_between_yields; ++look) {
      if (counter.has_reached(target)) {
        sleeps_next_.store(std::max(1, sleeps_next_.load(std::memory_order_relaxed) / 2),
                           std::memory_order_relaxed);
        return true;
      }
      pause_briefly();
    }
    sched_yield();
    const auto before = std::exchange(now, Clock::now());
    if (now - before < core_was_taken) continue;
    const int sleeps = sleeps_next_.load(std::memory_order_relaxed);
    sleeps_left_.store(sleeps, std::memory_order_relaxed);
    sleeps_next_.store(std::min(most_sleeps, 2 * sleeps), std::memory_order_relaxed);
    break;
  }
  return counter.has_reached(target);
}

}  // namespace gamelan::protocol
