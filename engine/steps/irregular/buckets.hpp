// SPDX-License-Identifier: BSD-3-Clause
// Sorts positions along a distributed axis into buckets: the positions of each coordinate, in runs of a power
// of two. What goes to one rank lies in consecutive buckets, and what is written into one bucket fits in a
// cache. Pure arithmetic.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/distribution/layout.hpp"

namespace gamelan::engine::steps {

class Buckets {
 public:
  Buckets(const distribution::AxisLayout& axis, int shift) : shift_(shift) {
    for (int c = 0; c < axis.parts; ++c)
      if (const auto interval = axis.interval(c); interval.size() > 0)
        runs_.push_back({interval.first, c, 0, interval.size()});
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
    for (auto& run : runs_) {
      run.bucket = count_;
      count_ += (run.positions + (std::int64_t{1} << shift_) - 1) >> shift_;
    }
  }

  std::int64_t count() const { return count_; }

  /// The bucket of a position of the axis.
  std::int64_t find(std::int64_t position) const {
    const Run* run = runs_.data();
    constexpr std::size_t few = 8;
    if (runs_.size() <= few) {
      std::size_t r = 0;
      for (std::size_t next = 1; next < runs_.size(); ++next) r += position >= runs_[next].first;
      run += r;
    } else {
      run = &*std::upper_bound(runs_.begin(), runs_.end(), position, [](std::int64_t p, const Run& at) {
        return p < at.first;
      }) - 1;
    }
    return run->bucket + ((position - run->first) >> shift_);
  }

  /// Calls visit(find) with a function equal to find(), without a loop when two comparisons are enough in
  /// most cases.
  template <class Visit>
  void with_find(Visit visit) const {
    if (runs_.size() > 2 || runs_.empty())
      return visit([this](std::int64_t position) { return find(position); });
    const auto cut = runs_.back().first;
    visit([ends = std::array{runs_.front(), runs_.back()}, cut, shift = shift_](std::int64_t position) {
      const auto& run = ends[position >= cut];
      return run.bucket + ((position - run.first) >> shift);
    });
  }

  /// The buckets of a coordinate, as a half-open range.
  std::pair<std::int64_t, std::int64_t> of(int coordinate) const {
    for (const auto& run : runs_)
      if (run.coordinate == coordinate)
        return {run.bucket, run.bucket + ((run.positions + (std::int64_t{1} << shift_) - 1) >> shift_)};
    return {0, 0};
  }

 private:
  struct Run {
    std::int64_t first;
    int coordinate;
    std::int64_t bucket, positions;
  };
  int shift_;
  std::int64_t count_ = 0;
  std::vector<Run> runs_;
};

}  // namespace gamelan::engine::steps
