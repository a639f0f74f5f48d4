// SPDX-License-Identifier: BSD-3-Clause
// A number in memory that the ranks of a node share. One rank raises it; other ranks or threads sleep until
// it is high enough. Besides MPI's own, this is the only wait of the engine. The Board decides who waits for
// which number, and for how long.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gamelan::engine {

inline constexpr std::size_t cache_line_bytes = 64;

/// Takes a whole cache line, so that polling it does not slow down access to other data.
class alignas(cache_line_bytes) SharedCounter {
 public:
  std::uint64_t value() const { return value_.load(std::memory_order_seq_cst); }
  bool has_reached(std::uint64_t target) const { return value_.load(std::memory_order_acquire) >= target; }
  /// Raises the counter to `value` and wakes all that sleep on it. Everything written before is visible to a
  /// reader of the new value.
  void publish(std::uint64_t value);
  /// The same, by an increment: for a counter that several ranks raise.
  void add(std::uint64_t increment);
  /// Sleeps in the system while the value is below `target`, at most for `limit`; may wake early.
  void sleep_below(std::uint64_t target, std::chrono::microseconds limit);

 private:
  void wake_sleepers();

  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How long a rank polls before it sleeps. Spinning is fastest when every rank has a core of its own. Where
/// ranks share cores it wastes a scheduler slice; there a few yields are best.
struct Patience {
  int spins = 0, yields = 0;
};
/// The right patience for `ranks` processes on the cores that this process may use.
Patience patience_of(int ranks);
/// Spins and yields until the counter has reached `target`; returns false when patience has run out before.
bool wait_awake(const SharedCounter& counter, std::uint64_t target, Patience patience);

}  // namespace gamelan::engine
