// SPDX-License-Identifier: BSD-3-Clause
// The lines between points that rise, as numpy.interp takes values from them. Values that follow each other
// often lie on the same line, or on the next: these are found by two comparisons. Pure arithmetic.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "engine/steps/irregular/halving_search.hpp"
#include "engine/steps/irregular/interval_table.hpp"

namespace gamelan::engine::steps {

class LineTable {
 public:
  /// Of two points or more. `values`: how many will be looked for, on all ranks.
  LineTable(std::vector<double> points, const std::vector<double>& heights, std::int64_t values)
      : count_(static_cast<std::int64_t>(points.size())), points_(std::move(points)) {
    lines_.resize(points_.size() + 1);
    for (std::size_t k = 0; k < points_.size(); ++k) {
      lines_[k + 1] = {points_[k], heights[k], 0, no_end};
      lines_[k].end = points_[k];
      if (k > 0) lines_[k].slope = (heights[k] - heights[k - 1]) / (points_[k] - points_[k - 1]);
    }
    lines_[0].start = -no_end;
    lines_[0].height = heights.front();
    rises_ = points_.front() == points_.front() &&
             std::adjacent_find(points_.begin(), points_.end(), [](double one, double next) {
               return !(one <= next);  // NaN
             }) == points_.end();
    if (count_ > longest_with_intervals || values < values_per_interval * count_) return;
    if (IntervalTable<double> table(points_); table.is_worth_it()) intervals_ = std::move(table);
  }

  /// out[i] = the height at values[i]; NaN at NaN.
  void evaluate(const double* values, std::int64_t count, double* out) {
    std::int64_t i = 0;
    // Of points that do not rise, what is near depends on where a rank's values begin.
    for (bool are_near = rises_; are_near && i < count;) {
      const auto some = std::min(together, count - i);
      are_near = follow(values + i, some, out + i) <= some / most_misses;
      i += some;
    }
    if (i < count) find(values + i, count - i, out + i);
    if (!rises_) level_ends(values, count, out);
  }

 private:
  static constexpr double no_end = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t together = 64, most_misses = 8;  // of so many values one is elsewhere

  /// Line k comes before point k. The first and the last are level, and have no slope.
  struct Line {
    double start = 0, height = 0, slope = 0, end = 0;
  };

  bool is_level(std::int64_t line) const { return line == 0 || line == count_; }

  /// As numpy.interp: where the point on the left gives NaN (infinite heights), that on the right is tried,
  /// then equal heights speak for themselves.
  double at(std::int64_t number, double x) const {
    if (x != x) return x;
    const Line& line = lines_[static_cast<std::size_t>(number)];
    if (is_level(number) || x == line.start) return line.height;
    const double height = line.slope * (x - line.start) + line.height;
    if (height == height) return height;
    const double end_height = lines_[static_cast<std::size_t>(number) + 1].height;
    const double other = line.slope * (x - line.end) + end_height;
    return other != other && line.height == end_height ? line.height : other;
  }

  /// Looks on the last line first. Returns how many values were on neither that nor the next.
  std::int64_t follow(const double* values, std::int64_t count, double* out) {
    std::int64_t misses = 0;
    Line line = lines_[static_cast<std::size_t>(last_)];
    bool is_flat = is_level(last_);
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = values[i];
      if (x >= line.start && x < line.end) {
        double height = is_flat ? line.height : line.slope * (x - line.start) + line.height;
        if (x == line.start || height != height) height = at(last_, x);
        out[i] = height;
        continue;
      }
      if (x >= line.end && last_ < count_ && x < lines_[static_cast<std::size_t>(last_) + 1].end) {
        ++last_;
      } else if (x == x) {
        std::int64_t found = 0;
        search(&x, 1, &found);
        misses += found != last_;  // infinity is on the last line, and before no end
        last_ = found;
      }
      line = lines_[static_cast<std::size_t>(last_)];
      is_flat = is_level(last_);
      out[i] = at(last_, x);
    }
    return misses;
  }

  void find(const double* values, std::int64_t count, double* out) {
    found_.resize(static_cast<std::size_t>(count));
    search(values, count, found_.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = values[i];
      const auto number = found_[static_cast<std::size_t>(i)];
      const Line& line = lines_[static_cast<std::size_t>(number)];
      double height = line.slope * (x - line.start) + line.height;
      if (is_level(number) || x == line.start || height != height) height = at(number, x);
      out[i] = height;
    }
  }

  /// Of points that do not rise, the ends count first, as in numpy.interp.
  void level_ends(const double* values, std::int64_t count, double* out) const {
    const auto& first = lines_[0];
    const auto& last = lines_.back();
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = values[i] > last.start ? last.height : values[i] < first.end ? first.height : out[i];
  }

  /// How many points are at most each of some values.
  void search(const double* values, std::int64_t count, std::int64_t* out) const {
    if (intervals_)
      intervals_->search(values, count, true, out);
    else
      search_all(points_, values, count, true, out);
  }

  std::int64_t count_;  // of points; lines 0 to count_
  std::vector<double> points_;
  std::vector<Line> lines_;
  bool rises_ = false;
  std::optional<IntervalTable<double>> intervals_;
  std::int64_t last_ = 0;  // the line of the value before
  std::vector<std::int64_t> found_;
};

}  // namespace gamelan::engine::steps
