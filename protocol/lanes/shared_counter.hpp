// SPDX-License-Identifier: BSD-3-Clause
// A number in memory that processes share. One of them raises it; others sleep until it is high enough. The
// ranks of a node wait for each other with it (engine/nodes/node_board.hpp), and so do a client and rank 0 on
// one machine (lane.hpp). They decide who waits for which number, and for how long.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gamelan::protocol {

inline constexpr std::size_t cache_line_bytes = 64;

/// Takes a whole cache line, so that polling it does not slow down access to other data.
class alignas(cache_line_bytes) SharedCounter {
 public:
  std::uint64_t value() const { return value_.load(std::memory_order_seq_cst); }
  bool has_reached(std::uint64_t target) const { return value_.load(std::memory_order_acquire) >= target; }
  /// Raises the counter to `value` and wakes all that sleep on it. Everything written before is visible to a
  /// reader of the new value.
  void publish(std::uint64_t value);
  /// The same, by an increment: for a counter that several processes raise.
  void add(std::uint64_t increment);
  /// Sleeps in the system while the value is below `target`, at most for `limit`; may wake early. False when
  /// a signal ended the sleep.
  bool sleep_below(std::uint64_t target, std::chrono::microseconds limit);

 private:
  void wake_sleepers();

  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How a process waits before it sleeps: for some microseconds it looks again and again, because waking a
/// sleeper takes 20 to 50 us, and longer on a virtual machine, where the one that wakes it loses as much.
/// Between looks it yields the core. When somebody else has taken the core in that moment, the machine may be
/// busy: then the next wait sleeps at once, because a sleeper gets the core back sooner than one that yields.
/// Where that happens again and again, the next 2, 4, ... 16 waits do. For any number of threads.
class Patience {
 public:
  /// For one of `processes` that work together on the cores that this process may use. With more processes
  /// than cores it waits awake for 15 us, else for `with_a_core`: longer than a small statement of Python's
  /// between two batches, or than the others of a batch are behind.
  explicit Patience(int processes, std::chrono::microseconds with_a_core = std::chrono::microseconds(200));
  bool has_a_core() const { return has_a_core_; }
  /// Returns true as soon as the counter has reached `target`; false when it is time to sleep.
  bool wait_awake(const SharedCounter& counter, std::uint64_t target);

 private:
  bool has_a_core_ = false;
  std::chrono::microseconds longest_;
  std::atomic<int> sleeps_left_{0};  ///< waits that sleep at once
  std::atomic<int> sleeps_next_{1};  ///< how many will, when the core is taken again
};

}  // namespace gamelan::protocol
