// SPDX-License-Identifier: BSD-3-Clause
// How numbers of the continuous distributions are drawn, each from the substream of that number. The discrete
// ones are in discrete_methods.hpp. All methods are exact: the numbers have the distribution, up to the
// rounding of doubles.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "protocol/substream.hpp"

namespace gamelan::protocol::methods {

using philox::Substream;

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
/// Limit of the rounds of a rejection method. Each method accepts at least one round in four, so a thousand
/// rejections in a row have a probability of 1e-125.
constexpr int most_rounds = 1000;

/// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; below 1 with their power of a
/// uniform.
inline double gamma(Substream& s, double shape) {
  if (shape == 0) return 0;
  if (shape == 1) return s.exponential();
  const double power = shape < 1 ? std::pow(s.positive(), 1 / shape) : 1;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (int round = 0; round < most_rounds; ++round) {
    const double x = s.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(s.positive()) < 0.5 * x * x + d * (1 - v + std::log(v))) return power * d * v;
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

inline double student(Substream& s, double freedom) {
  const double x = s.normal();
  return std::isinf(freedom) ? x : std::sqrt(freedom / 2) * x / std::sqrt(gamma(s, freedom / 2));
}

inline double laplace(Substream& s, double middle, double scale) {
  const double u = s.inside();
  return u < 0.5 ? middle + scale * std::log(2 * u) : middle - scale * std::log(2 * (1 - u));
}

inline double logistic(Substream& s, double middle, double scale) {
  const double u = s.inside();
  return middle + scale * std::log(u / (1 - u));
}

/// Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots", 1976.
inline double wald(Substream& s, double mean, double scale) {
  const double x = s.normal(), half = mean / (2 * scale), y = mean * x * x;
  const double root = mean + half * (y - std::sqrt(4 * scale * y + y * y));
  return s.uniform() <= mean / (mean + root) ? root : mean * mean / root;
}

inline double triangular(Substream& s, double left, double mode, double right) {
  const double base = right - left, u = s.uniform();
  if (u <= (mode - left) / base) return left + std::sqrt(u * base * (mode - left));
  return right - std::sqrt((1 - u) * base * (right - mode));
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
