// SPDX-License-Identifier: BSD-3-Clause
// scan: c = cumsum(a), in two passes over a rank's block: its sum, then the sums of the ranks before by
// MPI_Exscan, then the running sums. One rank needs the second pass only. A vector is scanned in registers;
// what waits for the vector before is a single addition. Assembly looked at (g++ 12, AVX2): running_sums
// permutes and adds in ymm, one vmovntpd a vector, no store-and-reload.
#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

/// Lanes moved up by `by`, zeros below.
template <int by>
Vec moved(Vec value) {
  Mask from;
  for (int lane = 0; lane < lanes; ++lane) from[lane] = lane < by ? lanes : lane - by;
  return __builtin_shuffle(value, Vec{}, from);
}

Vec scanned(Vec value) {
  value += moved<1>(value);
  value += moved<2>(value);
  if constexpr (lanes == 8) value += moved<4>(value);
  return value;
}

double total(const double* a, std::int64_t count) {
  Vec partial[4] = {};
  std::int64_t k = 0;
  for (; k + 4 * lanes <= count; k += 4 * lanes) {
    for (int chain = 0; chain < 4; ++chain) partial[chain] += load(a + k + chain * lanes);
  }
  double rest = 0.0;
  for (; k < count; ++k) rest += a[k];
  return sum(partial[0] + partial[1] + (partial[2] + partial[3])) + rest;
}

template <bool streaming>
void running_sums(const double* a, double* c, std::int64_t count, double before) {
  Vec carry = all(before);
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const Vec within = scanned(load(a + k));
    put<streaming>(c + k, within + carry);
    carry += __builtin_shuffle(within, Mask{} + (lanes - 1));
  }
  for (double last = carry[0]; k < count; ++k) c[k] = last += a[k];
  fence();
}

class Scan : public Case {
 public:
  Scan(const World& world, const Parameters& parameters)
      : world_(world), n_(parameters.integer("n", 20'000'000)), mine_(world.line_block(n_)) {
    a_ = Array<double>::local(mine_.count());
    c_ = Array<double>::local(mine_.count());
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      a_[k] = uniform(0, mine_.first + k);
      c_[k] = 0.0;
    }
  }

  void run() override {
    const double before = world_.size() == 1 ? 0.0 : world_.sum_before(total(a_.data(), mine_.count()));
    const auto pass = world_.is_large(16 * n_) ? running_sums<true> : running_sums<false>;
    pass(a_.data(), c_.data(), mine_.count(), before);
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      numbers[0] += c_[k];
      if (mine_.first + k == n_ / 2) numbers[1] = c_[k];
      if (mine_.first + k == n_ - 1) numbers[2] = c_[k];
    }
    world_.sum(numbers);
    return numbers;
  }

 private:
  const World& world_;
  std::int64_t n_;
  Block mine_;
  Array<double> a_, c_;
};

}  // namespace

Made make_scan(const World& world, const Parameters& parameters) {
  return std::make_unique<Scan>(world, parameters);
}

}  // namespace gamelan::bench
