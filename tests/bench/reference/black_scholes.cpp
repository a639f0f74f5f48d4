// SPDX-License-Identifier: BSD-3-Clause
// black_scholes: DistNumPy's, European calls on n stocks; per iteration the sum of the prices. One pass,
// everything in registers; exp and log by libmvec, vector width as the machine's (see simd.hpp); both
// reciprocals of N by one division. Bound by arithmetic.
//   d1 = (log(s / 65) + (r + v^2 / 2) t) / (v sqrt(t)), d2 = d1 - v sqrt(t), price = s N(d1) - 65 e^(-r t)
//   N(d2), N by Abramowitz and Stegun 26.2.17, t = 1 year + one day per iteration, r = 0.08, v = 0.3
// Assembly looked at (g++ 12, AVX2): three calls of _ZGVdN4v_* and one vdivpd a vector, nothing scalar but
// the tail.
#include <cmath>

#include "tests/bench/reference/driver.hpp"
#include "tests/bench/reference/inputs.hpp"
#include "tests/bench/reference/simd.hpp"

namespace gamelan::bench {

namespace {

constexpr double strike = 65.0, rate = 0.08, volatility = 0.3;

/// N(x), given k = 1 / (1 + 0.2316419 |x|).
Vec normal_distribution(Vec x, Vec k) {
  const Vec poly =
      k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const Vec w = 1.0 - 0.3989422804014327 * exponential(x * x * -0.5) * poly;
  return x < 0.0 ? 1.0 - w : w;
}

struct Day {
  explicit Day(std::int64_t day) {
    const double years = 1.0 + static_cast<double>(day) / 365.0;
    spread = volatility * std::sqrt(years);
    per_spread = 1.0 / spread;
    drift = (rate + volatility * volatility / 2.0) * years;
    discounted = strike * std::exp(-rate * years);
  }
  Vec price(Vec s) const {
    const Vec d1 = (logarithm(s * (1.0 / strike)) + drift) * per_spread, d2 = d1 - spread;
    // Both reciprocals by one division.
    const Vec a = 1.0 + 0.2316419 * absolute(d1), b = 1.0 + 0.2316419 * absolute(d2),
              per_product = 1.0 / (a * b);
    return s * normal_distribution(d1, b * per_product) -
           discounted * normal_distribution(d2, a * per_product);
  }
  double spread, per_spread, drift, discounted;
};

class BlackScholes : public Case {
 public:
  BlackScholes(const World& world, const Parameters& parameters)
      : world_(world),
        iterations_(parameters.integer("iterations", 1, 0)),
        mine_(world.line_block(parameters.integer("n", 4'000'000))),
        stocks_(Array<double>::local(mine_.count())) {
    for (std::int64_t k = 0; k < mine_.count(); ++k) stocks_[k] = 55.0 + 20.0 * uniform(0, mine_.first + k);
  }

  void run() override {
    sums_.assign(static_cast<std::size_t>(iterations_), 0.0);
    for (std::int64_t each = 0; each < iterations_; ++each) {
      const Day day(each);
      Vec total = {};
      std::int64_t k = 0;
      for (; k + lanes <= mine_.count(); k += lanes) total += day.price(load(stocks_.data() + k));
      double rest = 0.0;
      for (; k < mine_.count(); ++k) rest += day.price(all(stocks_[k]))[0];
      sums_[static_cast<std::size_t>(each)] = sum(total) + rest;
    }
    world_.sum(sums_);
  }

  std::vector<double> result() override { return sums_; }

 private:
  const World& world_;
  std::int64_t iterations_;
  Block mine_;
  Array<double> stocks_;
  std::vector<double> sums_;
};

}  // namespace

Made make_black_scholes(const World& world, const Parameters& parameters) {
  return std::make_unique<BlackScholes>(world, parameters);
}

}  // namespace gamelan::bench
