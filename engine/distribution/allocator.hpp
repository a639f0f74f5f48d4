// SPDX-License-Identifier: BSD-3-Clause
// Decides at which offset of the heap a block lies. Pure arithmetic, and copyable: all ranks make the same
// calls and get the same offsets without a message, and a plan is admitted by a dry run on a copy. It also
// keeps account of the pages that are not committed yet, and of the step until which another rank may still
// read freed memory. It touches no memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/distribution/ranges.hpp"

namespace gamelan::engine::distribution {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t granule_bytes =
    64;  ///< every offset is a multiple of a cache line, which is also a vector register
constexpr std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
constexpr std::size_t round_down(std::size_t bytes, std::size_t to) { return bytes / to * to; }

class Allocator {
 public:
  /// [offset, offset + bytes) of every rank's part of the heap. Before `release`, set `stamp` to the last
  /// step in which another rank may read the block. `allocate` returns the largest stamp of the memory that
  /// it uses again (0 = no rank reads it).
  struct Block {
    std::size_t offset = 0, bytes = 0;
    std::uint64_t stamp = 0;
    bool operator==(const Block&) const = default;
  };

  /// Manages [0, capacity), rounded down to pages.
  explicit Allocator(std::size_t capacity);

  /// The size rounded up to a class: 64 bytes at least, 8 classes per doubling (12.5 % waste at most), whole
  /// pages from 32 KB on, 64 classes (1.6 %) above 256 KB. Freed memory of one class fits the next request of
  /// that class.
  static std::size_t class_bytes(std::size_t bytes);

  /// Best fit among the free ranges, which are always merged with their neighbours; page aligned from 32 KB
  /// on. nullopt when no free range is long enough, not even for the exact size. Takes O(log n).
  std::optional<Block> allocate(std::size_t bytes);
  void release(const Block& block);
  /// All ranks have finished every step up to `finished`: forgets stamps up to it.
  void settle(std::uint64_t finished) { stamps_.erase_values_up_to(finished); }

  /// Returns the ranges of whole pages that `allocate` gave out and that have never been committed. From now
  /// on they count as committed. The caller passes them to Heap::commit.
  std::vector<Block> take_uncommitted() { return std::exchange(uncommitted_, {}); }
  /// Returns the ranges of whole pages that are committed but free. From now on they count as not committed.
  std::vector<Block> take_idle();
  /// Notes that these whole pages are committed: a copy of this allocator gave them out (a dry run).
  void remember_committed(std::span<const Block> pages);
  /// Notes that these whole pages are not committed after all.
  void forget_committed(std::span<const Block> pages);

  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const { return in_use_; }  ///< bytes in blocks, rounding included
  std::size_t peak() const { return peak_; }      ///< largest in_use() since construction or reset_peak()
  void reset_peak() { peak_ = in_use_; }

 private:
  std::optional<std::size_t> find(std::size_t bytes) const;
  std::optional<std::size_t> place_in(std::size_t first, std::size_t available, std::size_t bytes) const;
  Block take(std::size_t offset, std::size_t bytes);
  void index(const Range& range);
  void forget(const Range& range);

  std::size_t capacity_, in_use_ = 0, peak_ = 0;
  Ranges free_;
  std::vector<std::pair<std::size_t, std::size_t>> by_bytes_;  // (bytes, first) of every free range, sorted
  Ranges committed_;                                           // pages handed out once and not given back
  Ranges stamps_;                                              // of free memory
  std::vector<Block> uncommitted_;
};

}  // namespace gamelan::engine::distribution
