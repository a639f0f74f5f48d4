// SPDX-License-Identifier: BSD-3-Clause
// A number in memory that processes share. One of them raises it; others sleep until it is high enough. The
// ranks of a node wait for each other with it (engine/nodes/node_board.hpp), and so do a client and rank 0 on
// one machine (lane.hpp). They decide who waits for which number, and patience.hpp how long it looks before
// it sleeps.
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

}  // namespace gamelan::protocol
