// SPDX-License-Identifier: BSD-3-Clause
// How numbers of the discrete distributions are drawn: by inversion where that takes few steps, else by
// rejection with the exact probabilities. Numbers are whole numbers stored as doubles, exact up to 2**53.
#pragma once
#include <array>

#include "protocol/distribution_methods.hpp"

namespace gamelan::protocol::methods {

constexpr double most = 9223372036854774784.0;  // the last double that an int64 holds

/// Those of small numbers are looked up.
inline double log_factorial(double n) {
  constexpr std::size_t count = 2048;
  static const auto known = [] {
    std::array<double, count> values{};
    int sign;
    for (std::size_t k = 0; k < count; ++k) values[k] = ::lgamma_r(static_cast<double>(k) + 1, &sign);
    return values;
  }();
  if (n >= 0 && n < count) return known[static_cast<std::size_t>(n)];
  int sign;
  return ::lgamma_r(n + 1, &sign);
}

/// log(n!) - log(sqrt(2 pi n) (n / e)**n) for n >= 1.
inline double stirling_error(double n) {
  if (n < 16) return log_factorial(n) - (n + 0.5) * std::log(n) + n - 0.5 * std::log(2 * pi);
  const double square = n * n;
  return (1.0 / 12 -
          (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / square) / square) / square) / square) /
         n;
}

/// x log(x / mean) + mean - x, without cancellation where they are near.
inline double deviance(double x, double mean) {
  if (std::abs(x - mean) >= 0.1 * (x + mean)) return x * std::log(x / mean) + mean - x;
  const double v = (x - mean) / (x + mean);
  double sum = (x - mean) * v, term = 2 * x * v;
  for (int j = 1; j < most_rounds; ++j) {
    term *= v * v;
    const double next = sum + term / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

/// Logarithms of probabilities after Loader, "Fast and accurate computation of binomial probabilities", 2000.
/// They are also exact where factorials are too large to be subtracted from each other.
inline double log_poisson(double k, double mean) {
  return k == 0 ? -mean : -stirling_error(k) - deviance(k, mean) - 0.5 * std::log(2 * pi * k);
}
inline double log_binomial(double k, double n, double p) {
  if (k == 0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1 - p)) + 0.5 * std::log(n / (2 * pi * k * (n - k)));
}

/// A rejection of Hoermann's: k = floor((2 a / us + b) u + middle), where us is 1/2 - |u|.
struct TransformedRejection {
  double a, b, v_low;
};
struct Candidate {
  double k, us;
};
[[gnu::always_inline]] inline Candidate round_of(TransformedRejection by, double u, double middle) {
  const double us = 0.5 - std::abs(u);
  return {std::floor((2 * by.a / us + by.b) * u + middle), us};
}

/// PTRS of "The transformed rejection method for generating Poisson random variables", 1993.
[[gnu::always_inline]] inline TransformedRejection poisson_constants(double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  return {-0.059 + 0.02483 * b, b, 0.9277 - 3.6224 / (b - 2)};
}
constexpr double least_mean_of_rejection = 10;

/// For small means uniform numbers are multiplied until the product is below exp(-mean).
inline double poisson(Substream& s, double mean) {
  if (mean == 0) return 0;
  if (mean < least_mean_of_rejection) {
    const double end = philox::exp_of(-mean);
    double product = s.uniform(), count = 0;
    for (; product > end; product *= s.uniform()) ++count;
    return count;
  }
  const auto by = poisson_constants(mean);
  const double log_alpha = std::log(1.1239 + 1.1328 / (by.b - 3.4));
  for (int round = 0; round < most_rounds; ++round) {
    const double u = s.uniform() - 0.5, v = s.positive();
    const auto [k, us] = round_of(by, u, mean + 0.43);
    if (us >= 0.07 && v <= by.v_low) return std::min(k, most);
    if (!(k >= 0) || (us < 0.013 && v > us)) continue;
    if (std::log(v) + log_alpha - std::log(by.a / (us * us) + by.b) <= log_poisson(k, mean))
      return std::min(k, most);
  }
  return nothing;
}

/// The probability of 0.
[[gnu::always_inline]] inline double first_of_binomial(double n, double p) {
  return std::exp(n * std::log1p(-p));
}

/// Adds up probabilities from 0 on: some dozens of them at most.
inline double binomial_by_inversion(Substream& s, double n, double p) {
  const double odds = p / (1 - p), first = first_of_binomial(n, p);
  for (int round = 0; round < most_rounds; ++round) {
    double u = s.uniform(), probability = first;
    for (double k = 0; k <= n && k < 200;
         ++k) {  // the mean is at most 10: what lies beyond is below rounding
      if (u < probability) return k;
      u -= probability;
      probability *= (n - k) / (k + 1) * odds;
    }
  }
  return nothing;
}

/// Hoermann's BTRS ("The generation of binomial random variates", 1993), p <= 1/2 and n p >= 10.
[[gnu::always_inline]] inline TransformedRejection binomial_constants(double n, double p) {
  const double b = 1.15 + 2.53 * std::sqrt(n * p * (1 - p));
  return {-0.0873 + 0.0248 * b + 0.01 * p, b, 0.92 - 4.2 / b};
}
inline double binomial_by_rejection(Substream& s, double n, double p) {
  const auto by = binomial_constants(n, p);
  const double alpha = (2.83 + 5.1 / by.b) * std::sqrt(n * p * (1 - p));
  const double at_mode = log_binomial(std::floor((n + 1) * p), n, p);
  for (int round = 0; round < most_rounds; ++round) {
    const double u = s.uniform() - 0.5, v = s.positive();
    const auto [k, us] = round_of(by, u, n * p + 0.5);
    if (us >= 0.07 && v <= by.v_low) return k;
    if (!(k >= 0 && k <= n)) continue;
    if (std::log(v * alpha / (by.a / (us * us) + by.b)) <= log_binomial(k, n, p) - at_mode) return k;
  }
  return nothing;
}

inline double binomial(Substream& s, double n, double p) {
  if (n == 0 || p == 0) return 0;
  const double less = std::min(p, 1 - p);
  const double k = less == 0       ? 0
                   : n * less < 10 ? binomial_by_inversion(s, n, less)
                                   : binomial_by_rejection(s, n, less);
  return p > 0.5 ? n - k : k;
}

[[gnu::always_inline]] inline double geometric_of(double exponential, double log_of_failure) {
  const double k = std::ceil(-exponential / log_of_failure), least = k < 1 ? 1.0 : k;
  return least > most ? most : least;
}
inline double geometric(Substream& s, double p) {
  return p == 1 ? 1 : geometric_of(s.exponential(), std::log1p(-p));
}

/// A small sample is drawn one by one. Else Stadlober's ratio of uniforms ("The ratio of uniforms approach
/// for generating discrete random variates", 1990), with the two symmetries that make `good` the rarer kind
/// and the sample at most half of all.
inline double hypergeometric(Substream& s, double good, double bad, double sample) {
  const double all = good + bad;
  if (sample == 0 || good == 0) return 0;
  if (bad == 0) return sample;
  const double drawn = std::min(sample, all - sample), rare = std::min(good, bad);
  double k = nothing;
  if (drawn < 10) {
    double left = rare;
    for (double i = 0; i < drawn; ++i) left -= s.uniform() * (all - i) < left;
    k = rare - left;
  } else {
    const double mean = drawn * rare / all, p = rare / all;
    const double deviation = std::sqrt((all - drawn) * drawn * p * (1 - p) / (all - 1) + 0.5);
    const double half_width = 1.7155277699214135 * deviation + 0.8989161620588988, middle = mean + 0.5;
    const double mode = std::floor((drawn + 1) * (rare + 1) / (all + 2));
    const auto log_weight = [&](double i) {
      return log_factorial(i) + log_factorial(rare - i) + log_factorial(drawn - i) +
             log_factorial(all - rare - drawn + i);
    };
    const double at_mode = log_weight(mode), end = std::min(drawn, rare) + 1;
    for (int round = 0; round < most_rounds && std::isnan(k); ++round) {
      const double u = s.positive(), x = middle + half_width * (s.uniform() - 0.5) / u;
      if (!(x >= 0 && x < end)) continue;
      const double i = std::floor(x);
      if (2 * std::log(u) <= at_mode - log_weight(i)) k = i;
    }
  }
  if (good > bad) k = drawn - k;
  return drawn < sample ? good - k : k;
}

/// Devroye, "Non-uniform random variate generation", 1986, X.6.1.
inline double zipf(Substream& s, double a) {
  if (a >= 1025) return 1;  // P(2) is below the smallest double
  const double less = a - 1, b = std::exp2(less);
  for (int round = 0; round < most_rounds; ++round) {
    const double u = s.positive(), v = s.uniform(), x = std::floor(std::pow(u, -1 / less));
    if (!(x <= most) || x < 1) continue;  // NumPy, too, has none beyond int64
    const double t = std::pow(1 + 1 / x, less);
    if (v * x * (t - 1) / (b - 1) <= t / b) return x;
  }
  return nothing;
}

/// Kemp, "Efficient generation of logarithmically distributed pseudo-random variables", 1981: algorithm LK.
inline double logseries(Substream& s, double p) {
  if (p == 0) return 1;
  const double r = std::log1p(-p);
  for (int round = 0; round < most_rounds; ++round) {
    const double v = s.uniform();
    if (v >= p) return 1;
    const double q = -std::expm1(r * s.uniform());
    if (v <= q * q) {
      const double x = std::floor(1 + std::log(v) / std::log(q));
      if (!(x >= 1) || v == 0) continue;
      return std::min(x, most);
    }
    return v >= q ? 1 : 2;
  }
  return nothing;
}

inline double noncentral_chisquare(Substream& s, double freedom, double shift) {
  if (shift == 0) return chisquare(s, freedom);
  if (freedom > 1) {
    const double x = s.normal() + std::sqrt(shift);
    return chisquare(s, freedom - 1) + x * x;
  }
  const double more = poisson(s, shift / 2);
  return chisquare(s, freedom + 2 * more);
}

inline double noncentral_fisher(Substream& s, double upper, double lower, double shift) {
  const double x = noncentral_chisquare(s, upper, shift) / upper;
  return x / (chisquare(s, lower) / lower);
}

}  // namespace gamelan::protocol::methods
