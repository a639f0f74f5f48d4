// SPDX-License-Identifier: BSD-3-Clause
// A search in a sorted row that begins near its end: the range of the row is cut into many intervals of equal
// width, and a table says where each of them begins in the row. The interval of a number takes a few
// instructions, and rising numbers have rising intervals, rounding or not. So what is left to be searched are
// the few elements that share the interval. Pure arithmetic; run_search.cpp decides whether it is worth it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps {

constexpr std::int64_t intervals_per_element = 2;  // of evenly spread ones none then shares one
// A longer row has no table, which would not fit in a cache, nor has one in which few values are searched.
constexpr std::int64_t longest_with_intervals = 1 << 17, values_per_interval = 2;

/// Intervals of float and double. NaN is in the last one, where it is sorted.
template <class Real>
class RealIntervals {
 public:
  RealIntervals(const std::vector<Real>& row, std::int64_t count) : last_(static_cast<double>(count - 1)) {
    const auto is_finite = [](Real x) { return std::isfinite(x); };
    const auto least = std::find_if(row.begin(), row.end(), is_finite);
    if (least == row.end()) return;
    const double greatest = *std::find_if(row.rbegin(), row.rend(), is_finite);
    first_ = *least;
    scale_ = static_cast<double>(count) / (greatest - first_);
  }
  /// False where the numbers are too near or too far from each other to be told apart.
  bool are_distinct() const { return std::isnormal(scale_) && scale_ > 0; }
  std::int64_t find(Real x) const {
    const double place = (static_cast<double>(x) - first_) * scale_;
    const double bounded = place < last_ ? place : last_;
    return static_cast<std::int32_t>(bounded > 0 ? bounded : 0);
  }
  static bool is_before(Real x, Real y, bool goes_after_equal) { return goes_after_equal ? x <= y : x < y; }
  static bool is_nan(Real x) { return x != x; }
  static constexpr Real padding = std::numeric_limits<Real>::quiet_NaN();  ///< before nothing

 private:
  double first_ = 0, scale_ = 0, last_;
};

/// Intervals of unsigned integers, the keys of sort_keys.hpp.
template <class Key>
class KeyIntervals {
 public:
  KeyIntervals(const std::vector<Key>& row, std::int64_t count)
      : first_(row.front()), last_(static_cast<std::uint64_t>(count - 1)) {
    for (std::uint64_t range = std::max(row.back(), first_) - first_; range >> shift_ > last_;) ++shift_;
  }
  static bool are_distinct() { return true; }
  std::int64_t find(Key x) const {
    const std::uint64_t place = (std::max(x, first_) - first_) >> shift_;
    return static_cast<std::int64_t>(std::min(place, last_));
  }
  static bool is_before(Key x, Key y, bool goes_after_equal) { return goes_after_equal ? x <= y : x < y; }
  static bool is_nan(Key) { return false; }
  static constexpr Key padding = std::numeric_limits<Key>::max();

 private:
  Key first_;
  std::uint64_t last_;
  int shift_ = 0;
};

template <class Number>
class IntervalTable {
  static constexpr bool is_real = std::is_floating_point_v<Number>;
  using Intervals = std::conditional_t<is_real, RealIntervals<Number>, KeyIntervals<Number>>;

 public:
  /// Of a row that is not empty.
  explicit IntervalTable(std::vector<Number> row)
      : length_(static_cast<std::int64_t>(row.size())),
        intervals_(row, intervals_per_element * length_),
        row_(std::move(row)) {
    if (!intervals_.are_distinct()) return;
    begin_.assign(static_cast<std::size_t>(intervals_per_element * length_), 0);
    for (const auto element : row_) ++begin_[static_cast<std::size_t>(intervals_.find(element))];
    std::int32_t before = 0, most = 0;
    for (auto& begin : begin_) {
      most = std::max(most, begin);
      before += std::exchange(begin, before);
    }
    steps_ = sorting::width(static_cast<std::uint64_t>(most));
    while (nans_ < length_ && Intervals::is_nan(row_[static_cast<std::size_t>(length_ - 1 - nans_)])) ++nans_;
    row_.resize(row_.size() + (std::size_t{1} << steps_), Intervals::padding);
  }

  /// Whether a search takes fewer steps than one that halves the row.
  bool is_worth_it() const {
    return intervals_.are_distinct() && steps_ <= most_steps &&
           (steps_ == 1 || steps_ + 3 < sorting::width(static_cast<std::uint64_t>(length_)));
  }

  /// Writes how many elements of the row come before each of some numbers, or are equal where those count.
  void search(const Number* numbers, std::int64_t count, bool goes_after_equal, std::int64_t* out) const {
    if (goes_after_equal)
      search<true, 1>(numbers, count, out);
    else
      search<false, 1>(numbers, count, out);
  }

 private:
  static constexpr int most_steps = 4;

  /// There is no branch that depends on the numbers. The number of steps is a constant: a processor then has
  /// the searches of several numbers under way.
  template <bool goes_after_equal, int steps>
  void search(const Number* numbers, std::int64_t count, std::int64_t* out) const {
    if constexpr (steps < most_steps)
      if (steps < steps_) return search<goes_after_equal, steps + 1>(numbers, count, out);
    const auto intervals = intervals_;
    const auto* begin = begin_.data();
    const Number* row = row_.data();
    const auto length = length_, of_nan = goes_after_equal ? length_ : length_ - nans_;
    for (std::int64_t i = 0; i < count; ++i) {
      const Number number = numbers[i];
      std::int64_t place = begin[intervals.find(number)];
      const auto step = [&](std::int64_t half) {
        place += half * static_cast<std::int64_t>(
                            Intervals::is_before(row[place + half - 1], number, goes_after_equal));
      };
      if constexpr (steps > 3) step(8);
      if constexpr (steps > 2) step(4);
      if constexpr (steps > 1) step(2);
      step(1);
      if constexpr (!is_real) place = std::min(place, length);  // the greatest key equals the padding
      out[i] = Intervals::is_nan(number) ? of_nan : place;
    }
  }

  std::int64_t length_, nans_ = 0;
  Intervals intervals_;
  std::vector<Number> row_;          // then padding, for steps beyond the end
  std::vector<std::int32_t> begin_;  // per interval: where it begins in the row
  int steps_ = 0;
};

}  // namespace gamelan::engine::steps
