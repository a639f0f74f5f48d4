// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/ranges.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gamelan::engine::distribution {

std::vector<Range>::const_iterator Ranges::first_ending_after(std::size_t position) const {
  return std::partition_point(ranges_.begin(), ranges_.end(),
                              [position](const Range& range) { return range.last <= position; });
}

std::vector<Range>::iterator Ranges::first_ending_after(std::size_t position) {
  return ranges_.begin() + (std::as_const(*this).first_ending_after(position) - ranges_.cbegin());
}

std::optional<Range> Ranges::at(std::size_t position) const {
  const auto range = first_ending_after(position);
  if (range == ranges_.end() || range->first > position) return std::nullopt;
  return *range;
}

void Ranges::erase(std::size_t first, std::size_t last) {
  if (first >= last) return;
  auto from = first_ending_after(first);
  if (from != ranges_.end() && from->first < first) {
    const Range cut = *from;
    from->last = first;
    ++from;
    if (cut.last > last) {  // the hole lies inside one range
      ranges_.insert(from, {last, cut.last, cut.value});
      return;
    }
  }
  const auto to =
      std::partition_point(from, ranges_.end(), [last](const Range& range) { return range.last <= last; });
  if (to != ranges_.end() && to->first < last) to->first = last;
  ranges_.erase(from, to);
}

void Ranges::assign(Range range) {
  if (range.first >= range.last) return;
  erase(range.first, range.last);
  const auto next = first_ending_after(range.first);
  const bool joins_next = next != ranges_.end() && next->first == range.last && next->value == range.value;
  const bool joins_before = next != ranges_.begin() && std::prev(next)->last == range.first &&
                            std::prev(next)->value == range.value;
  if (joins_before) {
    std::prev(next)->last = joins_next ? next->last : range.last;
    if (joins_next) ranges_.erase(next);
  } else if (joins_next) {
    next->first = range.first;
  } else {
    ranges_.insert(next, range);
  }
}

std::vector<Range> Ranges::within(std::size_t first, std::size_t last) const {
  std::vector<Range> found;
  for (auto range = first_ending_after(first); range != ranges_.end() && range->first < last; ++range) {
    found.push_back({std::max(first, range->first), std::min(last, range->last), range->value});
  }
  return found;
}

std::vector<Range> Ranges::missing(std::size_t first, std::size_t last) const {
  std::vector<Range> gaps;
  for (const Range& present : within(first, last)) {
    if (present.first > first) gaps.push_back({first, present.first, 0});
    first = present.last;
  }
  if (first < last) gaps.push_back({first, last, 0});
  return gaps;
}

void Ranges::erase_values_up_to(std::uint64_t value) {
  std::erase_if(ranges_, [value](const Range& range) { return range.value <= value; });
}

}  // namespace gamelan::engine::distribution
