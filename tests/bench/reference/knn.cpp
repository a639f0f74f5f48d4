// SPDX-License-Identifier: BSD-3-Clause
// knn: DistNumPy's naive k nearest neighbours without the distance matrix: the base points stay in cache,
// four targets share each load of them, and a vector of distances is looked at one by one only if it holds
// one below the k-th so far. Ranks take blocks of targets. Distances add up coordinate by coordinate as in
// the definition, so that indices are exact. Assembly looked at (g++ 12, AVX2): for 2, 3 and 4 coordinates
// the distances are unrolled in ymm; of the targets' sixteen broadcasts, hoisted out of the loop, some lie on
// the stack.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr std::int64_t most_neighbours = 64;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The k nearest so far, nearest first; of equals the earlier index.
struct Nearest {
  Nearest() { std::fill_n(distance, most_neighbours, infinity); }
  double worst() const { return distance[count - 1]; }
  void add(double candidate, std::int64_t at) {
    std::int64_t place = count - 1;
    for (; place > 0 && distance[place - 1] > candidate; --place) {
      distance[place] = distance[place - 1];
      index[place] = index[place - 1];
    }
    distance[place] = candidate;
    index[place] = at;
  }
  std::int64_t count = 1;
  double distance[most_neighbours];
  std::int64_t index[most_neighbours] = {};
};

class Knn : public Case {
 public:
  Knn(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 4000)),
        k_(parameters.integer("k", 4)),
        dims_(parameters.integer("dims", 4)),
        pitch_((n_ + lanes - 1) / lanes * lanes),
        mine_(world.block(n_)),
        base_(static_cast<std::size_t>(dims_ * pitch_), infinity),
        targets_(static_cast<std::size_t>(dims_ * mine_.count())),
        nearest_(static_cast<std::size_t>(k_ * mine_.count())) {
    if (k_ > std::min(n_, most_neighbours))
      throw std::invalid_argument("[knn] k: expected at most min(n, 64)");
    for (std::int64_t d = 0; d < dims_; ++d) {
      for (std::int64_t j = 0; j < n_; ++j)
        base_[static_cast<std::size_t>(d * pitch_ + j)] = uniform(0, d * n_ + j);
      for (std::int64_t j = mine_.first; j < mine_.last; ++j) {
        targets_[static_cast<std::size_t>((j - mine_.first) * dims_ + d)] = uniform(1, d * n_ + j);
      }
    }
  }

  void run() override {
    std::int64_t target = 0;
    for (; target + 4 <= mine_.count(); target += 4) dispatch<4>(target);
    for (; target < mine_.count(); ++target) dispatch<1>(target);
    world_.barrier();
  }

  std::vector<double> result() override {
    std::vector<double> numbers(static_cast<std::size_t>(k_) + 2);
    for (std::int64_t local = 0; local < mine_.count(); ++local) {
      const std::int64_t target = mine_.first + local;
      for (std::int64_t each = 0; each < k_; ++each) {
        const auto index = static_cast<double>(nearest_[static_cast<std::size_t>(local * k_ + each)]);
        numbers[static_cast<std::size_t>(each)] += index * static_cast<double>(target % 1024);
        if (each == k_ - 1 && target == 0) numbers[static_cast<std::size_t>(k_)] = index;
        if (each == k_ - 1 && target == n_ - 1) numbers[static_cast<std::size_t>(k_) + 1] = index;
      }
    }
    world_.sum(numbers);
    return numbers;
  }

 private:
  template <int targets>
  void dispatch(std::int64_t first) {
    dims_ == 2   ? search<targets, 2>(first)
    : dims_ == 3 ? search<targets, 3>(first)
    : dims_ == 4 ? search<targets, 4>(first)
                 : search<targets, 0>(first);
  }

  /// `known_dims` 0: as many as there are, without unrolling.
  template <int targets, int known_dims>
  void search(std::int64_t first) {
    const std::int64_t dims = known_dims ? known_dims : dims_;
    const double* target = targets_.data() + first * dims;
    Nearest found[targets];
    for (Nearest& each : found) each.count = k_;
    for (std::int64_t j = 0; j < pitch_; j += lanes) {
      Vec distance[targets] = {};
      for (std::int64_t d = 0; d < dims; ++d) {
        const Vec base = load(base_.data() + d * pitch_ + j);
        for (int each = 0; each < targets; ++each) {
          const Vec difference = target[each * dims + d] - base;
          distance[each] += difference * difference;
        }
      }
      for (int each = 0; each < targets; ++each) {
        if (!any(distance[each] < found[each].worst())) continue;
        for (int lane = 0; lane < lanes; ++lane) {
          if (distance[each][lane] < found[each].worst()) found[each].add(distance[each][lane], j + lane);
        }
      }
    }
    for (int each = 0; each < targets; ++each) {
      std::copy_n(found[each].index, k_, nearest_.data() + (first + each) * k_);
    }
  }

  const World& world_;
  std::int64_t n_, k_, dims_, pitch_;
  Block mine_;
  std::vector<double> base_;     // dims rows; infinitely far beyond n
  std::vector<double> targets_;  // dims coordinates a target
  std::vector<std::int64_t> nearest_;
};

}  // namespace

Made make_knn(const World& world, const Parameters& parameters) {
  return std::make_unique<Knn>(world, parameters);
}

}  // namespace gamelan::bench
