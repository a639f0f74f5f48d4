// SPDX-License-Identifier: BSD-3-Clause
#include "engine/distribution/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gamelan::engine::distribution {
namespace {

constexpr std::int64_t most_grids = 256;  // tried one by one
constexpr int most_moves = 64;

/// The cost of a grid. Blocks are compared first: one within 1/16 of the smallest counts as equal.
struct Cost {
  double block = 1, surface = 0;
};

class GridChoice {
 public:
  GridChoice(std::span<const AxisLayout> axes, int ranks)
      : axes_(axes), ranks_(ranks), parts_(axes.size(), 1) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      units_.push_back((axes[k].extent + axes[k].unit - 1) / axes[k].unit);
      const bool is_last = k + 1 == axes.size() && axes.size() > 1;
      per_cut_.push_back((is_last ? 8.0 : 1.0) /
                         static_cast<double>(std::max<std::int64_t>(axes[k].extent, 1)));
      if (axes[k].extent > 1) open_.push_back(k);
    }
    if (open_.empty()) open_.push_back(0);  // nothing to cut: blocks are empty but for one
    int rest = ranks;
    for (int prime = 2; prime * prime <= rest; prime += prime == 2 ? 1 : 2)
      for (; rest % prime == 0; rest /= prime) primes_.push_back(prime);
    if (rest > 1) primes_.push_back(rest);
  }

  void run() {
    if (open_.size() == 1)
      parts_[open_[0]] = ranks_;
    else if (count_grids() <= most_grids)
      try_all();
    else
      deal_factors();
  }

  const std::vector<int>& parts() const { return parts_; }
  bool has_choice() const { return open_.size() > 1; }
  int largest_prime() const { return primes_.empty() ? 1 : primes_.back(); }
  Cost cost_of_all() const {
    Cost all;
    for (const auto axis : open_) {
      const auto own = cost(axis, parts_[axis]);
      all = {all.block * own.block, all.surface + own.surface};
    }
    return all;
  }

 private:
  Cost cost(std::size_t axis, int parts) const {
    const auto& cut = axes_[axis];
    const auto units = (units_[axis] + parts - 1) / parts;
    return {static_cast<double>(std::min(cut.extent, units * cut.unit)), per_cut_[axis] * (parts - 1)};
  }

  /// How many ways there are to write the rank count as an ordered product of one factor per axis.
  std::int64_t count_grids() const {
    double count = 1;
    for (std::size_t p = 0; p < primes_.size();) {
      std::size_t power = 0;
      for (const int prime = primes_[p]; p < primes_.size() && primes_[p] == prime; ++p) ++power;
      for (std::size_t i = 1; i <= power; ++i)
        count *= static_cast<double>(open_.size() - 1 + i) / static_cast<double>(i);
    }
    return count < 1e15 ? static_cast<std::int64_t>(count + 0.5) : std::numeric_limits<std::int64_t>::max();
  }

  void list_divisors() {
    divisors_ = {1};
    for (std::size_t p = 0; p < primes_.size();) {
      const auto before = divisors_.size();
      int factor = 1;
      for (const int prime = primes_[p]; p < primes_.size() && primes_[p] == prime; ++p) {
        factor *= prime;
        for (std::size_t i = 0; i < before; ++i) divisors_.push_back(divisors_[i] * factor);
      }
    }
    std::sort(divisors_.begin(), divisors_.end());
    costs_.resize(open_.size() - 1);
    for (std::size_t k = 0; k + 1 < open_.size(); ++k) {
      costs_[k].reserve(divisors_.size());
      for (const int parts : divisors_) costs_[k].push_back(cost(open_[k], parts));
    }
  }

  /// Lists every grid, by rising parts of the first axis, then of the next; the last axis gets the remaining
  /// factor.
  void list_grids(std::size_t axis, int rest, const Cost& so_far) {
    if (axis + 1 == open_.size()) {
      const auto own = cost(open_[axis], rest);
      parts_[open_[axis]] = rest;
      grids_.insert(grids_.end(), parts_.begin(), parts_.end());
      costs_of_grids_.push_back({so_far.block * own.block, so_far.surface + own.surface});
      return;
    }
    for (std::size_t d = 0; d < divisors_.size() && divisors_[d] <= rest; ++d) {
      if (rest % divisors_[d] != 0) continue;
      const auto& own = costs_[axis][d];
      parts_[open_[axis]] = divisors_[d];
      list_grids(axis + 1, rest / divisors_[d], {so_far.block * own.block, so_far.surface + own.surface});
    }
  }

  void try_all() {
    list_divisors();
    const auto count = static_cast<std::size_t>(count_grids());
    grids_.reserve(count * parts_.size());
    costs_of_grids_.reserve(count);
    list_grids(0, ranks_, {});
    double smallest = std::numeric_limits<double>::infinity();
    for (const auto& each : costs_of_grids_) smallest = std::min(smallest, each.block);
    const auto parts_of_last = [&](std::size_t g) { return grids_[(g + 1) * parts_.size() - 1]; };
    std::size_t best = 0;
    for (std::size_t g = 1; g < costs_of_grids_.size(); ++g) {
      const auto &cost = costs_of_grids_[g], &least = costs_of_grids_[best];
      // Of equals, that which cuts the first axes, where runs are long: list_grids lists it later. A cut of
      // the last axis weighs more, so grids that differ there are no equals.
      const bool is_as_good = parts_of_last(g) == parts_of_last(best) && !is_better(least, cost, smallest);
      if (is_as_good || is_better(cost, least, smallest)) best = g;
    }
    const auto first = grids_.begin() + static_cast<std::ptrdiff_t>(best * parts_.size());
    std::copy_n(first, parts_.size(), parts_.begin());
  }

  static bool is_better(const Cost& left, const Cost& right, double smallest) {
    const double sixteenths = 16 / std::max(smallest, 1.0);
    const double ours = std::floor((left.block - smallest) * sixteenths),
                 theirs = std::floor((right.block - smallest) * sixteenths);
    constexpr double by_more_than_rounding = 1 - 1e-9;
    return ours < theirs || (ours == theirs && left.surface < right.surface * by_more_than_rounding);
  }

  /// Gives the largest factors first, each to the axis where it costs least. Then moves single factors to
  /// other axes while that helps.
  void deal_factors() {
    for (auto prime = primes_.rbegin(); prime != primes_.rend(); ++prime) multiply_best(*prime);
    double smallest = cost_of_all().block;
    for (int move = 0; move < most_moves; ++move) {
      const auto before = parts_;
      const Cost cost_before = cost_of_all();
      bool has_moved = false;
      for (const auto from : open_) {
        int tried = 1;
        for (const int prime : primes_) {
          if (prime == tried || parts_[from] % prime != 0) continue;
          tried = prime;
          parts_[from] /= prime;
          multiply_best(prime);
          const Cost now = cost_of_all();
          smallest = std::min(smallest, now.block);
          has_moved = is_better(now, cost_before, smallest);
          if (has_moved) break;
          parts_ = before;
        }
        if (has_moved) break;
      }
      if (!has_moved) return;
    }
  }

  void multiply_best(int prime) {
    const Cost now = cost_of_all();
    std::vector<Cost> costs;
    double smallest = std::numeric_limits<double>::infinity();
    for (const auto axis : open_) {
      const auto old = cost(axis, parts_[axis]), cut = cost(axis, parts_[axis] * prime);
      costs.push_back(
          {now.block / std::max(old.block, 1.0) * cut.block, now.surface - old.surface + cut.surface});
      smallest = std::min(smallest, costs.back().block);
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < open_.size(); ++k)
      if (is_better(costs[k], costs[best], smallest)) best = k;
    parts_[open_[best]] *= prime;
  }

  std::span<const AxisLayout> axes_;
  int ranks_;
  std::vector<int> parts_;
  std::vector<std::size_t> open_;         // axes that can be cut
  std::vector<int> primes_;               // of the rank count, ascending
  std::vector<std::int64_t> units_;       // of all axes: what a cut may not divide
  std::vector<double> per_cut_;           // of all axes: the surface that a cut makes
  std::vector<int> divisors_;             // ascending
  std::vector<std::vector<Cost>> costs_;  // by open axis but the last, by divisor
  std::vector<int> grids_;                // parts of all axes, grid after grid
  std::vector<Cost> costs_of_grids_;
};

constexpr int large_prime = 17;

/// The largest number up to `ranks` without a large prime factor. The last answer is kept, because the rank
/// count of a job does not change.
int without_large_primes(int ranks) {
  thread_local int asked = 0, answer = 0;
  if (asked == ranks) return answer;
  const auto is_smooth = [](int number) {
    for (const int prime : {2, 3, 5, 7, 11, 13})
      while (number % prime == 0) number /= prime;
    return number == 1;
  };
  asked = answer = ranks;
  while (!is_smooth(answer)) --answer;
  return answer;
}

/// True when blocks are smaller by a sixteenth, or hardly larger and with much less surface.
bool is_much_better(const Cost& fewer, const Cost& all) {
  return fewer.block * 16 < all.block * 15 ||
         (fewer.block * 16 <= all.block * 17 && fewer.surface * 1.5 < all.surface);
}

}  // namespace

std::vector<int> choose_grid(std::span<const AxisLayout> axes, int ranks) {
  GridChoice all(axes, ranks);
  all.run();
  if (!all.has_choice() || all.largest_prime() < large_prime) return all.parts();
  GridChoice fewer(axes, without_large_primes(ranks));
  fewer.run();
  return is_much_better(fewer.cost_of_all(), all.cost_of_all()) ? fewer.parts() : all.parts();
}

}  // namespace gamelan::engine::distribution
