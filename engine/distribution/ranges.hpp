// SPDX-License-Identifier: BSD-3-Clause
// Disjoint ranges of a line of bytes, each with a value. Adjacent ranges of equal value are merged. The
// allocator keeps in it which pages are committed, and which freed memory other ranks may still read. Pure.
// The ranges are a sorted vector: finding takes O(log n), and copies, of which every dry run makes one, are
// cheap.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gamelan::engine::distribution {

/// Half open: [first, last).
struct Range {
  std::size_t first = 0, last = 0;
  std::uint64_t value = 0;
  bool operator==(const Range&) const = default;
};

class Ranges {
 public:
  /// Puts a range in place of what was there.
  void assign(Range range);
  /// Removes [first, last).
  void erase(std::size_t first, std::size_t last);
  /// The whole range that contains `position`; nullopt when there is none.
  std::optional<Range> at(std::size_t position) const;
  /// In order: the parts of [first, last) that are covered, or those that are not (value 0).
  std::vector<Range> within(std::size_t first, std::size_t last) const;
  std::vector<Range> missing(std::size_t first, std::size_t last) const;
  /// Removes every range whose value is at most `value`.
  void erase_values_up_to(std::uint64_t value);
  std::size_t count() const { return ranges_.size(); }
  const std::vector<Range>& all() const { return ranges_; }

 private:
  std::vector<Range>::iterator first_ending_after(std::size_t position);
  std::vector<Range>::const_iterator first_ending_after(std::size_t position) const;

  std::vector<Range> ranges_;  // in order, not overlapping, none empty
};

}  // namespace gamelan::engine::distribution
