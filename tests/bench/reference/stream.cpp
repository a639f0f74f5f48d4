// SPDX-License-Identifier: BSD-3-Clause
// stream: c = a + 3 b (24 n bytes), reduce: sum, min or max of a (8 n bytes), both as Arkouda defines them.
// One pass each; c is stored past the caches when the arrays exceed them; several accumulators hide the
// latency of an addition. Assembly looked at (g++ 12, AVX2): triad two vmovntpd a turn, fold eight ymm
// chains, no scalar but the tails.
#include <algorithm>
#include <stdexcept>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

template <bool streaming>
void triad(const double* a, const double* b, double* c, std::int64_t count) {
  std::int64_t k = 0;
  for (; k + 2 * lanes <= count; k += 2 * lanes) {
    put<streaming>(c + k, load(a + k) + 3.0 * load(b + k));
    put<streaming>(c + k + lanes, load(a + k + lanes) + 3.0 * load(b + k + lanes));
  }
  for (; k < count; ++k) c[k] = a[k] + 3.0 * b[k];
  fence();
}

class Stream : public Case {
 public:
  Stream(const World& world, const Parameters& parameters)
      : world_(world), n_(parameters.integer("n", 20'000'000)), mine_(world.line_block(n_)) {
    for (Array<double>* each : {&a_, &b_, &c_}) *each = Array<double>::local(mine_.count());
    for (std::int64_t k = 0; k < mine_.count(); ++k) {
      a_[k] = uniform(0, mine_.first + k);
      b_[k] = uniform(1, mine_.first + k);
      c_[k] = 0.0;
    }
  }

  void run() override {
    const auto pass = world_.is_large(24 * n_) ? triad<true> : triad<false>;
    pass(a_.data(), b_.data(), c_.data(), mine_.count());
  }

  std::vector<double> result() override {
    std::vector<double> numbers(3);
    for (std::int64_t k = 0; k < mine_.count(); ++k) numbers[0] += c_[k];
    if (mine_.count() > 0 && mine_.first == 0) numbers[1] = c_[0];
    if (mine_.count() > 0 && mine_.last == n_) numbers[2] = c_[mine_.count() - 1];
    world_.sum(numbers);
    return numbers;
  }

 private:
  const World& world_;
  std::int64_t n_;
  Block mine_;
  Array<double> a_, b_, c_;
};

/// All of `a` folded by `combine`, from `start`, which must be neutral.
template <typename Combine>
double fold(const double* a, std::int64_t count, double start, Combine combine) {
  constexpr int chains = 8;
  Vec partial[chains];
  for (Vec& each : partial) each = all(start);
  std::int64_t k = 0;
  for (; k + chains * lanes <= count; k += chains * lanes) {
    for (int chain = 0; chain < chains; ++chain)
      partial[chain] = combine(partial[chain], load(a + k + chain * lanes));
  }
  for (int chain = 1; chain < chains; ++chain) partial[0] = combine(partial[0], partial[chain]);
  Vec total = all(start);
  for (; k < count; ++k) total = combine(total, all(a[k]));
  for (int lane = 0; lane < lanes; ++lane) total = combine(total, all(partial[0][lane]));
  return total[0];
}

class Reduce : public Case {
 public:
  Reduce(const World& world, const Parameters& parameters)
      : world_(world),
        op_(parameters.text("op", "sum")),
        mine_(world.line_block(parameters.integer("n", 20'000'000))) {
    if (op_ != "sum" && op_ != "min" && op_ != "max")
      throw std::invalid_argument("[reduce] op: got " + op_ + ", expected sum, min or max");
    a_ = Array<double>::local(mine_.count());
    for (std::int64_t k = 0; k < mine_.count(); ++k) a_[k] = uniform(0, mine_.first + k);
  }

  void run() override {
    const std::int64_t count = mine_.count();
    if (op_ == "sum") value_ = world_.sum(fold(a_.data(), count, 0.0, [](Vec x, Vec y) { return x + y; }));
    // The inputs lie in [0, 1).
    if (op_ == "min")
      value_ = world_.min(fold(a_.data(), count, 1.0, [](Vec x, Vec y) { return x < y ? x : y; }));
    if (op_ == "max")
      value_ = world_.max(fold(a_.data(), count, 0.0, [](Vec x, Vec y) { return x > y ? x : y; }));
  }

  std::vector<double> result() override { return {value_}; }

 private:
  const World& world_;
  std::string op_;
  Block mine_;
  Array<double> a_;
  double value_ = 0.0;
};

}  // namespace

Made make_stream(const World& world, const Parameters& parameters) {
  return std::make_unique<Stream>(world, parameters);
}
Made make_reduce(const World& world, const Parameters& parameters) {
  return std::make_unique<Reduce>(world, parameters);
}

}  // namespace gamelan::bench
