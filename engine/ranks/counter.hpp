// SPDX-License-Identifier: BSD-3-Clause
// A number in memory that the ranks of a node share: one rank raises it, any rank (or thread) sleeps until it
// is high enough. The one wait of the engine besides MPI's own; the Board decides who waits for what, and for
// how long.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gamelan::engine {

inline constexpr std::size_t cache_line_bytes = 64;

/// On a cache line of its own, so that a waiting rank disturbs nobody.
class alignas(cache_line_bytes) SharedCounter {
 public:
  std::uint64_t value() const { return value_.load(std::memory_order_seq_cst); }
  bool has_reached(std::uint64_t target) const { return value_.load(std::memory_order_acquire) >= target; }
  /// Raises the counter and wakes who sleeps on it. Everything written before is visible to whoever saw the
  /// new value.
  void publish(std::uint64_t value);
  /// The same, by an increment: for a counter that several ranks raise.
  void add(std::uint64_t increment);
  /// Sleeps in the kernel while the value is below `target`, at most so long; may wake early.
  void sleep_below(std::uint64_t target, std::chrono::microseconds limit);

 private:
  void wake_sleepers();

  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How a rank waits before it sleeps. Spinning is the fastest when every rank has a core of its own and costs
/// a scheduler slice when not; there a few yields are best.
struct Patience {
  int spins = 0, yields = 0;
};
/// For `ranks` processes on the cores that this one may use.
Patience patience_of(int ranks);
/// Spins and yields until the counter has reached `target`; false when patience is at its end.
bool wait_awake(const SharedCounter& counter, std::uint64_t target, Patience patience);

}  // namespace gamelan::engine
