// SPDX-License-Identifier: BSD-3-Clause
// The substreams that numbers are drawn from, and how numbers of the continuous distributions are drawn, each
// from the substream of that number. The discrete ones are in discrete_methods.hpp. All methods are exact:
// the numbers have the distribution, up to the rounding of doubles. What is always_inline is also computed
// many at a time (distribution_chunks_level.cpp).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "protocol/philox.hpp"

namespace gamelan::protocol::philox {

/// As many random words as one element needs. Block n of an element's substream has n in the third word of
/// the counter, from 1 on (uniform and normal numbers use 0). So a rejection loop may draw as many words as
/// it needs without changing the numbers of any other element.
class Substream {
 public:
  Substream(std::uint64_t key, std::uint64_t counter) : key_(key), counter_(counter) {}

  std::uint64_t word() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const Block bits =
        block({static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32), ++block_, 0},
              {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    second_ = bits[2] | std::uint64_t{bits[3]} << 32;
    has_second_ = true;
    return bits[0] | std::uint64_t{bits[1]} << 32;
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  /// 1 to 2**53: the numerator of a fraction in (0, 1].
  std::uint64_t numerator() { return (word() >> 11) + 1; }
  /// In (0, 1].
  double positive() { return static_cast<double>(numerator()) * 0x1p-53; }
  /// Standard exponential, by inversion.
  double exponential() { return -log_of_fraction(numerator()); }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * log_of_fraction(numerator()));
    return radius * cos_of_turn(word() >> 11);
  }

 private:
  std::uint64_t key_, counter_, second_ = 0;
  std::uint32_t block_ = 0;
  bool has_second_ = false;
};

}  // namespace gamelan::protocol::philox

namespace gamelan::protocol::methods {

using philox::Substream;

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
/// Limit of the rounds of a rejection method. Each method accepts at least one round in four, so a thousand
/// rejections in a row have a probability of 1e-125.
constexpr int most_rounds = 1000;

/// The constants of Marsaglia and Tsang's method for shapes from 1 on; `shape` may be one less.
struct GammaConstants {
  double d, c;
};
[[gnu::always_inline]] inline GammaConstants gamma_constants(double shape) {
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  return {d, 1 / std::sqrt(9 * d)};
}

/// One round of the method from a normal number and a fraction's numerator: NaN if it is rejected.
[[gnu::always_inline]] inline double gamma_round(GammaConstants by, double x, std::uint64_t numerator) {
  const double root = 1 + by.c * x;
  const double v = root * root * root, safe = root > 0 ? v : 1.0;
  const double right = 0.5 * x * x + by.d * (1 - safe + philox::log_of(safe));
  return (root > 0) & (philox::log_of_fraction(numerator) < right) ? by.d * v : nothing;
}

/// A fraction to the power of 1 / shape.
[[gnu::always_inline]] inline double root_of_fraction(std::uint64_t numerator, double shape) {
  return philox::exp_of(philox::log_of_fraction(numerator) / shape);
}

/// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; below 1 with their power of a
/// uniform.
inline double gamma(Substream& s, double shape) {
  if (shape == 0) return 0;
  if (shape == 1) return s.exponential();
  const double power = shape < 1 ? root_of_fraction(s.numerator(), shape) : 1;
  const GammaConstants by = gamma_constants(shape);
  for (int round = 0; round < most_rounds; ++round) {
    const double x = s.normal(), value = gamma_round(by, x, s.numerator());
    if (!std::isnan(value)) return power * value;
  }
  return nothing;
}

/// The logarithm of a gamma variable, which does not underflow for small shapes.
inline double log_gamma_variable(Substream& s, double shape) {
  if (shape >= 1) return std::log(gamma(s, shape));
  const double power = std::log(s.positive()) / shape;
  return power + std::log(gamma(s, shape + 1));
}

inline double beta(Substream& s, double a, double b) {
  if (a < 1 && b < 1) {  // both may underflow: the ratio from logarithms
    const double x = log_gamma_variable(s, a), y = log_gamma_variable(s, b);
    return 1 / (1 + std::exp(y - x));
  }
  const double x = gamma(s, a), y = gamma(s, b);
  return x / (x + y);
}

inline double chisquare(Substream& s, double freedom) { return 2 * gamma(s, freedom / 2); }

inline double fisher(Substream& s, double upper, double lower) {
  const double x = chisquare(s, upper) / upper;
  return x / (chisquare(s, lower) / lower);
}

[[gnu::always_inline]] inline double student_of(double freedom, double x, double gamma_value) {
  return std::sqrt(freedom / 2) * x / std::sqrt(gamma_value);
}
inline double student(Substream& s, double freedom) {
  const double x = s.normal();
  return std::isinf(freedom) ? x : student_of(freedom, x, gamma(s, freedom / 2));
}

/// Of a word: the logarithm of the lesser half, doubled, on its side of the middle.
[[gnu::always_inline]] inline double laplace_of(std::uint64_t word, double middle, double scale) {
  const std::uint64_t numerator = (word >> 12 << 1) + 1;  // of 2**53
  const bool is_left = numerator < std::uint64_t{1} << 52;
  const std::uint64_t least = is_left ? numerator : (std::uint64_t{1} << 53) - numerator;
  const double value = scale * philox::log_of_fraction(2 * least);
  return is_left ? middle + value : middle - value;
}

[[gnu::always_inline]] inline double logistic_of(std::uint64_t word, double middle, double scale) {
  const std::uint64_t numerator = (word >> 12 << 1) + 1;
  const double rest = philox::log_of_fraction((std::uint64_t{1} << 53) - numerator);
  return middle + scale * (philox::log_of_fraction(numerator) - rest);
}

[[gnu::always_inline]] inline double gumbel_of(std::uint64_t word, double middle, double scale) {
  return middle - scale * philox::log_of(-philox::log_of_fraction((word >> 12 << 1) + 1));
}

/// A fraction below 1 to the power of 1 / a.
[[gnu::always_inline]] inline double power_of(std::uint64_t word, double a) {
  const std::uint64_t numerator = word >> 11;
  const double value = root_of_fraction(numerator == 0 ? 1 : numerator, a);
  return numerator == 0 ? 0.0 : value;
}

[[gnu::always_inline]] inline double cauchy_of(std::uint64_t word) {
  return philox::tan_of_turn((word >> 12 << 1) + 1);
}

[[gnu::always_inline]] inline double weibull_of(double exponential, double a) {
  const bool is_positive = exponential > 0;
  const double value = philox::exp_of(philox::log_of(is_positive ? exponential : 1.0) / a);
  return is_positive & (a != 0) ? value : 0.0;
}

/// Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976.
[[gnu::always_inline]] inline double wald_of(double x, double uniform, double mean, double scale) {
  const double half = mean / (2 * scale), y = mean * x * x;
  const double root = mean + half * (y - std::sqrt(4 * scale * y + y * y));
  const double other = mean * mean / root;
  return uniform <= mean / (mean + root) ? root : other;
}
inline double wald(Substream& s, double mean, double scale) {
  const double x = s.normal();
  return wald_of(x, s.uniform(), mean, scale);
}

[[gnu::always_inline]] inline double triangular_of(double u, double left, double mode, double right) {
  const double base = right - left;
  const bool is_left = u <= (mode - left) / base;
  const double from = std::sqrt((is_left ? u : 1 - u) * base * (is_left ? mode - left : right - mode));
  return is_left ? left + from : right - from;
}

/// Best and Fisher, "Efficient simulation of the von Mises distribution", 1979. Where the distribution equals
/// the wrapped normal one up to rounding, that is drawn.
inline double vonmises(Substream& s, double middle, double kappa) {
  const auto wrap = [](double angle) { return angle - 2 * pi * std::floor((angle + pi) / (2 * pi)); };
  if (kappa < 1e-8) return wrap(middle + pi * (2 * s.uniform() - 1));
  if (kappa > 1e6) return wrap(middle + s.normal() / std::sqrt(kappa));
  double r;
  if (kappa < 1e-5) {
    r = 1 / kappa + kappa;  // to second order
  } else {
    const double tau = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (tau - std::sqrt(2 * tau)) / (2 * kappa);
    r = (1 + rho * rho) / (2 * rho);
  }
  for (int round = 0; round < most_rounds; ++round) {
    const double z = std::cos(pi * s.uniform()), w = (1 + r * z) / (r + z), y = kappa * (r - w),
                 v = s.positive();
    if (y * (2 - y) - v < 0 && std::log(y / v) + 1 - y < 0) continue;
    const double angle = std::acos(std::clamp(w, -1.0, 1.0));
    return wrap(middle + (s.word() >> 63 ? angle : -angle));
  }
  return nothing;
}

}  // namespace gamelan::protocol::methods
