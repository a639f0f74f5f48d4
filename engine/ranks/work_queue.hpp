// SPDX-License-Identifier: BSD-3-Clause
// Numbered tickets for the pieces of one rank's part of a step: whoever on the node draws one does that
// piece. Lies in shared memory, one per rank; the Board hands it out.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/ranks/counter.hpp"

namespace gamelan::engine {

class alignas(cache_line_bytes) Tickets {
 public:
  static constexpr std::int64_t most = (std::int64_t{1} << 20) - 1;

  /// Owner: tickets 0 <= t < count (at most `most`) of this step may be drawn from now on.
  void open(std::uint64_t step, std::int64_t count) {
    word_.store(tag(step) | static_cast<std::uint64_t>(count) << bits, std::memory_order_release);
  }
  /// Any rank: the next ticket of this step, in rising order; nothing when all are drawn or the owner is not
  /// at this step. What the owner wrote before open() is visible then.
  std::optional<std::int64_t> draw(std::uint64_t step) {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    while ((seen & tag_mask) == tag(step) && next(seen) < count(seen)) {
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return next(seen);
    }
    return std::nullopt;
  }
  /// Owner: nobody draws any more; returns how many were left.
  std::int64_t close() {
    const std::uint64_t seen = word_.exchange(0, std::memory_order_relaxed);
    return count(seen) - next(seen);
  }

  /// Any rank but the owner, once for each ticket it drew: the piece is done, and visible to who sees the
  /// count.
  void return_one() { returned_.add(1); }
  /// How many other ranks have ever returned.
  SharedCounter& returned() { return returned_; }

 private:
  // The low bits of the step, the count, the next ticket. A closed word has no tickets whatever its step, and
  // an owner opens every step anew, so that equal low bits of steps far apart do no harm.
  static constexpr int bits = 20;
  static constexpr std::uint64_t field = (std::uint64_t{1} << bits) - 1, tag_mask = ~(field << bits | field);
  static std::uint64_t tag(std::uint64_t step) { return step << (2 * bits); }
  static std::int64_t next(std::uint64_t word) { return static_cast<std::int64_t>(word & field); }
  static std::int64_t count(std::uint64_t word) { return static_cast<std::int64_t>(word >> bits & field); }

  std::atomic<std::uint64_t> word_{0};
  SharedCounter returned_;
};

}  // namespace gamelan::engine
