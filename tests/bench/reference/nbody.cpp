// SPDX-License-Identifier: BSD-3-Clause
// nbody: DistNumPy's N-body, all pairs, no matrices: each rank pulls its block of bodies, the others'
// positions are shared by one allgather per coordinate and step. Bound by a square root and a division per
// pair.
//   pull = m_j / (r2 sqrt(r2)), r2 = dx^2 + dy^2 + dz^2 + 0.01; v += 0.01 sum(pull d); p += 0.01 v
// Assembly looked at (g++ 12, AVX2): one vsqrtpd and one vdivpd ymm a vector of pairs, sums in registers.
#include <algorithm>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr double time_step = 0.01, softening = 0.01;

class Nbody : public Case {
 public:
  Nbody(const World& world, const Parameters& parameters)
      : world_(world),
        n_(parameters.integer("n", 1500)),
        steps_(parameters.integer("steps", 2, 0)),
        mine_(world.block(n_)) {
    // Whole vectors; the bodies beyond n have no mass.
    const auto padded = static_cast<std::size_t>((n_ + lanes - 1) / lanes * lanes);
    mass_.resize(padded);
    for (int axis = 0; axis < 3; ++axis) {
      start_[axis].resize(padded);
      velocity_[axis].resize(static_cast<std::size_t>(mine_.count()));
    }
    for (std::int64_t k = 0; k < n_; ++k) {
      for (int axis = 0; axis < 3; ++axis)
        start_[axis][static_cast<std::size_t>(k)] = uniform(static_cast<std::uint64_t>(axis), k);
      mass_[static_cast<std::size_t>(k)] = uniform(3, k) / static_cast<double>(n_);
    }
  }

  void prepare() override {
    for (int axis = 0; axis < 3; ++axis) position_[axis] = start_[axis];
  }

  void run() override {
    for (auto& each : velocity_) std::fill(each.begin(), each.end(), 0.0);
    for (std::int64_t step = 0; step < steps_; ++step) {
      for (std::int64_t k = mine_.first; k < mine_.last; ++k) accelerate(k);
      for (int axis = 0; axis < 3; ++axis) {
        for (std::int64_t k = mine_.first; k < mine_.last; ++k) {
          position_[axis][static_cast<std::size_t>(k)] +=
              time_step * velocity_[axis][static_cast<std::size_t>(k - mine_.first)];
        }
        world_.share_blocks(position_[axis].data(), n_);
      }
    }
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    double squares = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double each : velocity_[axis]) numbers[0] += each * each;
      for (std::int64_t k = 0; k < n_; ++k) {
        const double each = position_[axis][static_cast<std::size_t>(k)];
        squares += each * each;
      }
    }
    if (mine_.count() > 0 && mine_.last == n_) numbers[1] = velocity_[2].back();
    world_.sum(numbers);
    return {squares, numbers[0], position_[0][0], numbers[1]};
  }

 private:
  void accelerate(std::int64_t body) {
    const auto at = static_cast<std::size_t>(body);
    const Vec x = all(position_[0][at]), y = all(position_[1][at]), z = all(position_[2][at]);
    Vec ax = {}, ay = {}, az = {};
    for (std::size_t j = 0; j < mass_.size(); j += lanes) {
      const Vec dx = load(&position_[0][j]) - x, dy = load(&position_[1][j]) - y,
                dz = load(&position_[2][j]) - z;
      const Vec r2 = dx * dx + dy * dy + dz * dz + softening;
      const Vec pull = load(&mass_[j]) / (r2 * square_root(r2));
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    const auto local = static_cast<std::size_t>(body - mine_.first);
    velocity_[0][local] += time_step * sum(ax);
    velocity_[1][local] += time_step * sum(ay);
    velocity_[2][local] += time_step * sum(az);
  }

  const World& world_;
  std::int64_t n_, steps_;
  Block mine_;
  std::vector<double> start_[3], position_[3], velocity_[3], mass_;
};

}  // namespace

Made make_nbody(const World& world, const Parameters& parameters) {
  return std::make_unique<Nbody>(world, parameters);
}

}  // namespace gamelan::bench
