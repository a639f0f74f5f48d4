// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of a step as a queue of numbered items. Any rank of the node may take an item and compute it.
// There is one queue for each rank, in shared memory; the Board gives access to it.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "protocol/lanes/shared_counter.hpp"

namespace gamelan::engine {

class alignas(protocol::cache_line_bytes) WorkQueue {
 public:
  static constexpr std::int64_t max_items = (std::int64_t{1} << 20) - 1;

  /// For the owner: from now on items 0 <= i < count (at most `max_items`) of this step may be taken.
  void open(std::uint64_t step, std::int64_t count) {
    word_.store(tag(step) | static_cast<std::uint64_t>(count) << bits, std::memory_order_release);
  }
  /// For any rank: takes the next item of this step, in rising order. nullopt when all are taken, or when the
  /// owner is not at this step. What the owner wrote before open() is visible then.
  std::optional<std::int64_t> take(std::uint64_t step) {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & tag_mask) == tag(step) && next(seen) < count(seen)) {
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return next(seen);
    }
    return std::nullopt;
  }
  /// For the owner: no item can be taken any more. Returns how many were left.
  std::int64_t close() {
    const std::uint64_t seen = word_.exchange(0, std::memory_order_relaxed);
    return count(seen) - next(seen);
  }

  /// For any rank but the owner, once for each item it took: the item is done. Its results are visible to a
  /// rank that sees the count.
  void report_done() { done_.add(1); }
  /// How many items other ranks have done since the start.
  protocol::SharedCounter& done() { return done_; }

 private:
  // One word holds the low bits of the step, the count, and the next item. A closed word has no items
  // whatever its step. An owner opens every step anew, so two distant steps with equal low bits cannot be
  // confused.
  static constexpr int bits = 20;
  static constexpr std::uint64_t field = (std::uint64_t{1} << bits) - 1, tag_mask = ~(field << bits | field);
  static std::uint64_t tag(std::uint64_t step) { return step << (2 * bits); }
  static std::int64_t next(std::uint64_t word) { return static_cast<std::int64_t>(word & field); }
  static std::int64_t count(std::uint64_t word) { return static_cast<std::int64_t>(word >> bits & field); }

  std::atomic<std::uint64_t> word_{0};
  protocol::SharedCounter done_;
};

}  // namespace gamelan::engine
