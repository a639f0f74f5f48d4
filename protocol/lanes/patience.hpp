// SPDX-License-Identifier: BSD-3-Clause
// How long a process looks for a change of a shared counter before it sleeps (docs/decisions/032). The ranks
// of a node, rank 0's main thread and the notebook's client ask it; what they wait for, and how long they
// sleep, is theirs.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

#include "protocol/lanes/shared_counter.hpp"

namespace gamelan::protocol {

/// Which waits sleep at once, because somebody else needs the core: one after the first time that the core
/// was taken, 2, 4, ... 16 where that happens again and again. A single time is an accident of the machine.
/// For any number of threads.
class Naps {
 public:
  /// Whether this wait sleeps at once.
  bool take_one();
  void core_was_taken();
  /// The core was the waiter's own throughout a wait.
  void waited_well();

 private:
  static constexpr int most = 16;
  std::atomic<int> left_{0}, next_{1};
};

/// How a process waits before it sleeps: for some microseconds it looks again and again, because waking a
/// sleeper takes 20 to 50 us, and longer on a virtual machine, where the one that wakes it loses as much.
/// Between looks it yields the core. When somebody else has taken the core in that moment, the machine may be
/// busy: then a wait sleeps at once, because a sleeper gets the core back sooner than one that yields. For
/// any number of threads.
class Patience {
 public:
  /// Longer than a small statement of Python's between two batches, or than the others of a batch are behind.
  static constexpr std::chrono::microseconds usual{200};
  /// For one of `processes` that work together on the cores that this process may use. With more processes
  /// than cores it waits awake for 15 us, else for `with_a_core`.
  explicit Patience(int processes, std::chrono::microseconds with_a_core = usual);
  bool has_a_core() const { return has_a_core_; }
  /// Returns true as soon as the counter has reached `target`; false when it is time to sleep.
  bool wait_awake(const SharedCounter& counter, std::uint64_t target);

 private:
  bool has_a_core_ = false;
  std::chrono::microseconds longest_;
  Naps naps_;
};

}  // namespace gamelan::protocol
