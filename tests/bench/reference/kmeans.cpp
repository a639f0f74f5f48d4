// SPDX-License-Identifier: BSD-3-Clause
// kmeans: Lloyd's iteration from the first k points, one pass an iteration, one array per coordinate. A tile
// of points is labelled in registers, then each centre folds its members out of the tile in cache by masks.
// One allreduce of the sums an iteration. Assembly looked at (g++ 12, AVX2): distances, blends and masked
// sums are ymm; known dimensions are unrolled.
#include <algorithm>
#include <limits>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr std::int64_t tile = 1024;

class Kmeans : public Case {
 public:
  Kmeans(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 1'000'000)),
        dims_(parameters.integer("dims", 4)),
        k_(parameters.integer("k", 8)),
        iterations_(parameters.integer("iterations", 5)),
        mine_(world.line_block(n_)),
        pitch_((mine_.count() + lanes - 1) / lanes * lanes),
        points_(Array<double>::local(dims_ * pitch_)),
        labels_(Array<double>::local(pitch_)) {
    std::fill_n(points_.data(), dims_ * pitch_, 0.0);
    for (std::int64_t at = 0; at < mine_.count(); ++at) {
      for (std::int64_t d = 0; d < dims_; ++d)
        points_[d * pitch_ + at] = uniform(0, (mine_.first + at) * dims_ + d);
    }
  }

  void run() override {
    centres_.resize(static_cast<std::size_t>(k_ * dims_));
    for (std::int64_t each = 0; each < k_ * dims_; ++each)
      centres_[static_cast<std::size_t>(each)] = uniform(0, each);
    for (std::int64_t iteration = 0; iteration < iterations_; ++iteration) {
      // Of each centre the sums of its members by coordinate, then their number.
      sums_.assign(static_cast<std::size_t>(k_ * (dims_ + 1)), 0.0);
      for (std::int64_t first = 0; first < pitch_; first += tile) {
        const std::int64_t last = std::min(pitch_, first + tile);
        dims_ == 2   ? one_tile<2>(first, last)
        : dims_ == 3 ? one_tile<3>(first, last)
        : dims_ == 4 ? one_tile<4>(first, last)
                     : one_tile<0>(first, last);
      }
      world_.sum(sums_);
      for (std::int64_t j = 0; j < k_; ++j) {
        const double members = sums_[static_cast<std::size_t>(j * (dims_ + 1) + dims_)];
        for (std::int64_t d = 0; d < dims_; ++d) {
          centres_[static_cast<std::size_t>(j * dims_ + d)] =
              sums_[static_cast<std::size_t>(j * (dims_ + 1) + d)] / members;
        }
      }
    }
  }

  std::vector<double> result() override {
    std::vector<double> numbers(2);
    for (std::int64_t at = 0; at < mine_.count(); ++at) {
      numbers[0] += labels_[at];
      if (mine_.first + at == n_ - 1) numbers[1] = labels_[at];
    }
    world_.sum(numbers);
    std::vector<double> all_numbers = centres_;
    all_numbers.insert(all_numbers.end(), numbers.begin(), numbers.end());
    return all_numbers;
  }

 private:
  /// Labels and folds points [first, last). `known_dims` 0: as many as there are, without unrolling.
  template <int known_dims>
  void one_tile(std::int64_t first, std::int64_t last) {
    const std::int64_t dims = known_dims ? known_dims : dims_;
    for (std::int64_t at = first; at < last; at += lanes) {
      Vec best = all(std::numeric_limits<double>::infinity()), label = {};
      for (std::int64_t j = 0; j < k_; ++j) {
        Vec distance = {};
        for (std::int64_t d = 0; d < dims; ++d) {
          const Vec difference =
              load(points_.data() + d * pitch_ + at) - centres_[static_cast<std::size_t>(j * dims + d)];
          distance += difference * difference;
        }
        const Mask is_closer = distance < best;
        best = is_closer ? distance : best;
        label = is_closer ? all(static_cast<double>(j)) : label;
      }
      // What fills up the last vector belongs to no centre.
      for (std::int64_t beyond = mine_.count(); beyond < at + lanes; ++beyond) label[beyond - at] = -1.0;
      store(labels_.data() + at, label);
    }
    for (std::int64_t j = 0; j < k_; ++j) fold_members<known_dims>(j, first, last);
  }

  template <int known_dims>
  void fold_members(std::int64_t j, std::int64_t first, std::int64_t last) {
    const std::int64_t dims = known_dims ? known_dims : dims_;
    constexpr std::int64_t together = known_dims ? known_dims : 1;
    double* sums = sums_.data() + j * (dims_ + 1);
    for (std::int64_t d = 0; d < dims; d += together) {
      Vec partial[together] = {};
      Mask members = {};
      for (std::int64_t at = first; at < last; at += lanes) {
        const Mask is_member = load(labels_.data() + at) == all(static_cast<double>(j));
        members -= is_member;
        for (std::int64_t each = 0; each < together; ++each) {
          const Vec value = load(points_.data() + (d + each) * pitch_ + at);
          partial[each] += reinterpret_cast<Vec>(reinterpret_cast<Mask>(value) & is_member);
        }
      }
      for (std::int64_t each = 0; each < together; ++each) sums[d + each] += sum(partial[each]);
      for (int lane = 0; d == 0 && lane < lanes; ++lane) sums[dims] += static_cast<double>(members[lane]);
    }
  }

  const World& world_;
  std::int64_t n_, dims_, k_, iterations_;
  Block mine_;
  std::int64_t pitch_;
  Array<double> points_, labels_;
  std::vector<double> centres_, sums_;
};

}  // namespace

Made make_kmeans(const World& world, const Parameters& parameters) {
  return std::make_unique<Kmeans>(world, parameters);
}

}  // namespace gamelan::bench
