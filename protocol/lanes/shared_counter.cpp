// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/shared_counter.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>

namespace gamelan::protocol {

namespace {

// A futex has 32 bits: the low half of the counter. It only has to differ after a change, which is the case
// unless 2^32 steps pass between two looks.
static_assert(std::endian::native == std::endian::little && std::atomic<std::uint64_t>::is_always_lock_free);

/// Without FUTEX_PRIVATE_FLAG, because the waiters are other processes.
long futex(std::atomic<std::uint64_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
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

}  // namespace gamelan::protocol
