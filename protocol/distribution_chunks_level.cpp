// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction-set level, whose name is GAMELAN_ISA. Each function takes the words of
// its substreams in the order of distribution_methods.hpp and discrete_methods.hpp, for 64 numbers at once.
// Loops have no branches, so that compilers make vectors of them.
#include "protocol/discrete_methods.hpp"
#include "protocol/distributions.hpp"
#include "protocol/philox_lanes.hpp"

namespace gamelan::protocol::GAMELAN_ISA {

DrawChunk draw_chunk_of(int distribution);

namespace {

using methods::nothing;
using philox::whole_double;
using Numbers = double[draw_chunk];
using Parameters = const double (*)[draw_chunk];

#define GAMELAN_EACH(j) _Pragma("GCC ivdep") for (std::size_t j = 0; j < draw_chunk; ++j)

/// Substreams of neighbouring counters, a word of each at a time.
class Substreams {
 public:
  Substreams(std::uint64_t key, std::uint64_t first) : key_(key), first_(first) {}

  /// Valid until the call after the next.
  const std::uint64_t* words() {
    has_second_ = !has_second_;
    if (!has_second_) return two_;
    philox::GAMELAN_ISA::random_words(key_, first_, 1, one_, two_, ++block_);
    return one_;
  }
  void uniforms(Numbers& out) {
    const std::uint64_t* word = words();
    GAMELAN_EACH(j) out[j] = whole_double(word[j] >> 11) * 0x1p-53;
  }
  void exponentials(Numbers& out) {
    const std::uint64_t* word = words();
    GAMELAN_EACH(j) out[j] = -philox::log_of_fraction((word[j] >> 11) + 1);
  }
  void normals(Numbers& out) {
    exponentials(out);
    const std::uint64_t* word = words();
    GAMELAN_EACH(j) out[j] = std::sqrt(2.0 * out[j]) * philox::cos_of_turn(word[j] >> 11);
  }

 private:
  static_assert(draw_chunk == philox::GAMELAN_ISA::random_chunk);
  std::uint64_t key_, first_;
  std::uint32_t block_ = 0;
  bool has_second_ = false;
  std::uint64_t one_[draw_chunk], two_[draw_chunk];
};

void leave_all(Numbers& out) { GAMELAN_EACH(j) out[j] = nothing; }

/// One round; shapes below 1 take a word more, so all must be on one side of it.
void gammas(Substreams& s, const double* shape, Numbers& out) {
  std::size_t below = 0, special = 0;
  for (std::size_t j = 0; j < draw_chunk; ++j) {
    below += shape[j] < 1;
    special += !(shape[j] > 0) || shape[j] == 1;
  }
  if (special == draw_chunk && shape[0] == 1) return s.exponentials(out);
  if (special != 0 || (below != 0 && below != draw_chunk)) return leave_all(out);
  Numbers power, x;
  if (below != 0) {
    const std::uint64_t* word = s.words();
    GAMELAN_EACH(j) power[j] = methods::root_of_fraction((word[j] >> 11) + 1, shape[j]);
  }
  s.normals(x);
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j)
  out[j] = methods::gamma_round(methods::gamma_constants(shape[j]), x[j], (word[j] >> 11) + 1);
  if (below != 0) GAMELAN_EACH(j) out[j] = power[j] * out[j];
}

void gammas_of_half(Substreams& s, const double* freedom, Numbers& out) {
  Numbers shape;
  GAMELAN_EACH(j) shape[j] = freedom[j] / 2;
  gammas(s, shape, out);
}

void exponential(Substreams& s, Parameters p, Numbers& out) {
  s.exponentials(out);
  GAMELAN_EACH(j) out[j] = p[0][j] * out[j];
}

void gamma(Substreams& s, Parameters p, Numbers& out) {
  // Nothing is drawn after these, so numbers that take one word may stand beside those that take three.
  std::size_t one = 0, above = 0;
  for (std::size_t j = 0; j < draw_chunk; ++j) {
    one += p[0][j] == 1;
    above += p[0][j] > 1;
  }
  if (above == 0 || above == draw_chunk || one == draw_chunk) {
    gammas(s, p[0], out);
  } else {
    Numbers exponential, shape;
    s.exponentials(exponential);
    const std::uint64_t* word = s.words();
    GAMELAN_EACH(j) out[j] = std::sqrt(2.0 * exponential[j]) * philox::cos_of_turn(word[j] >> 11);
    word = s.words();
    GAMELAN_EACH(j) shape[j] = p[0][j] > 1 ? p[0][j] : 2.0;
    GAMELAN_EACH(j)
    out[j] = methods::gamma_round(methods::gamma_constants(shape[j]), out[j], (word[j] >> 11) + 1);
    GAMELAN_EACH(j) out[j] = p[0][j] > 1 ? out[j] : p[0][j] == 1 ? exponential[j] : nothing;
  }
  GAMELAN_EACH(j) out[j] = p[1][j] * out[j];
}

void beta(Substreams& s, Parameters p, Numbers& out) {
  Numbers other;
  gammas(s, p[0], out);
  gammas(s, p[1], other);
  GAMELAN_EACH(j)
  out[j] = (p[0][j] < 1) & (p[1][j] < 1) ? nothing : out[j] / (out[j] + other[j]);
}

void chisquare(Substreams& s, Parameters p, Numbers& out) {
  gammas_of_half(s, p[0], out);
  GAMELAN_EACH(j) out[j] = 2 * out[j];
}

void f(Substreams& s, Parameters p, Numbers& out) {
  Numbers lower;
  gammas_of_half(s, p[0], out);
  gammas_of_half(s, p[1], lower);
  GAMELAN_EACH(j) out[j] = (2 * out[j] / p[0][j]) / (2 * lower[j] / p[1][j]);
}

void standard_t(Substreams& s, Parameters p, Numbers& out) {
  Numbers x;
  s.normals(x);
  gammas_of_half(s, p[0], out);
  GAMELAN_EACH(j) out[j] = methods::student_of(p[0][j], x[j], out[j]);
}

void lognormal(Substreams& s, Parameters p, Numbers& out) {
  s.normals(out);
  GAMELAN_EACH(j) out[j] = philox::exp_of(p[0][j] + p[1][j] * out[j]);
}

void laplace(Substreams& s, Parameters p, Numbers& out) {
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j) out[j] = methods::laplace_of(word[j], p[0][j], p[1][j]);
}

void logistic(Substreams& s, Parameters p, Numbers& out) {
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j) out[j] = methods::logistic_of(word[j], p[0][j], p[1][j]);
}

void gumbel(Substreams& s, Parameters p, Numbers& out) {
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j) out[j] = methods::gumbel_of(word[j], p[0][j], p[1][j]);
}

void standard_cauchy(Substreams& s, Parameters, Numbers& out) {
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j) out[j] = methods::cauchy_of(word[j]);
}

void pareto(Substreams& s, Parameters p, Numbers& out) {
  s.exponentials(out);
  GAMELAN_EACH(j) out[j] = philox::expm1_of(out[j] / p[0][j]);
}

void power(Substreams& s, Parameters p, Numbers& out) {
  const std::uint64_t* word = s.words();
  GAMELAN_EACH(j) out[j] = methods::power_of(word[j], p[0][j]);
}

void rayleigh(Substreams& s, Parameters p, Numbers& out) {
  s.exponentials(out);
  GAMELAN_EACH(j) out[j] = p[0][j] * std::sqrt(2 * out[j]);
}

void weibull(Substreams& s, Parameters p, Numbers& out) {
  s.exponentials(out);
  GAMELAN_EACH(j) out[j] = methods::weibull_of(out[j], p[0][j]);
}

void wald(Substreams& s, Parameters p, Numbers& out) {
  Numbers x, uniform;
  s.normals(x);
  s.uniforms(uniform);
  GAMELAN_EACH(j) out[j] = methods::wald_of(x[j], uniform[j], p[0][j], p[1][j]);
}

void triangular(Substreams& s, Parameters p, Numbers& out) {
  s.uniforms(out);
  GAMELAN_EACH(j) out[j] = methods::triangular_of(out[j], p[0][j], p[1][j], p[2][j]);
}

std::size_t count_below(const double* x, double limit) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < draw_chunk; ++j) count += x[j] < limit;
  return count;
}

bool are_equal(const double* x) {
  bool is_equal = true;
  for (std::size_t j = 1; j < draw_chunk; ++j) is_equal &= x[j] == x[0];
  return is_equal;
}

/// Multiplies uniform numbers, the first two of which are given, until the product is below exp(-mean). Means
/// of another method are left out: their count is 0.
void count_products(Substreams& s, const double* mean, Numbers& product, Numbers& uniform, Numbers& out) {
  Numbers end;
  GAMELAN_EACH(j)
  end[j] = mean[j] < methods::least_mean_of_rejection ? philox::exp_of(-mean[j]) : 2.0;
  GAMELAN_EACH(j) out[j] = 0;
  while (true) {
    std::uint64_t left = 0;
    GAMELAN_EACH(j) {
      const bool is_more = product[j] > end[j];
      out[j] += is_more ? 1.0 : 0.0;
      product[j] *= uniform[j];
      left |= is_more ? 1U : 0U;
    }
    if (left == 0) return;
    s.uniforms(uniform);
  }
}

/// Both methods begin with two words; a chunk whose means are of both does both.
void poisson_of(Substreams& s, const double* mean, Numbers& out) {
  const std::size_t small = count_below(mean, methods::least_mean_of_rejection);
  Numbers first, second, large;
  s.uniforms(first);
  const std::uint64_t* word = s.words();
  if (small != draw_chunk) {
    GAMELAN_EACH(j) {
      const double v = whole_double((word[j] >> 11) + 1) * 0x1p-53;
      const auto by = methods::poisson_constants(mean[j]);
      const auto found = methods::round_of(by, first[j] - 0.5, mean[j] + 0.43);
      const double k = found.k > methods::most ? methods::most : found.k;  // NaN stays
      large[j] = (found.us >= 0.07) & (v <= by.v_low) ? k : nothing;
    }
    if (small == 0) {
      GAMELAN_EACH(j) out[j] = large[j];
      return;
    }
  }
  GAMELAN_EACH(j) second[j] = whole_double(word[j] >> 11) * 0x1p-53;
  count_products(s, mean, first, second, out);
  GAMELAN_EACH(j) out[j] = mean[j] > 0 ? out[j] : nothing;
  if (small == draw_chunk) return;
  GAMELAN_EACH(j) out[j] = mean[j] < methods::least_mean_of_rejection ? out[j] : large[j];
}

void poisson(Substreams& s, Parameters p, Numbers& out) { poisson_of(s, p[0], out); }

void negative_binomial(Substreams& s, Parameters p, Numbers& out) {
  Numbers mean;
  gammas(s, p[0], mean);
  GAMELAN_EACH(j) mean[j] = mean[j] * ((1 - p[1][j]) / p[1][j]);
  poisson_of(s, mean, out);
}

void binomial_by_inversion(Substreams& s, double n, double p, Numbers& out) {
  const double odds = p / (1 - p);
  double probability = methods::first_of_binomial(n, p);
  Numbers u;
  s.uniforms(u);
  GAMELAN_EACH(j) out[j] = 0;
  bool is_any = true;
  for (double k = 0; k <= n && k < 200 && is_any; ++k) {
    std::uint64_t left = 0;
    GAMELAN_EACH(j) {
      const bool is_more = u[j] >= probability;
      out[j] += is_more ? 1.0 : 0.0;
      u[j] = is_more ? u[j] - probability : -1.0;  // found: below 0 from now on
      left |= is_more ? 1U : 0U;
    }
    is_any = left != 0;
    probability *= (n - k) / (k + 1) * odds;
  }
  GAMELAN_EACH(j) out[j] = u[j] < 0 ? out[j] : nothing;
}

void binomial(Substreams& s, Parameters p, Numbers& out) {
  const double n = p[0][0], less = p[1][0] < 1 - p[1][0] ? p[1][0] : 1 - p[1][0];
  if (!are_equal(p[0]) || !are_equal(p[1]) || !(n > 0) || !(less > 0)) return leave_all(out);
  if (n * less < 10) {
    binomial_by_inversion(s, n, less, out);
  } else {
    const auto by = methods::binomial_constants(n, less);
    Numbers u, v;
    s.uniforms(u);
    const std::uint64_t* word = s.words();
    GAMELAN_EACH(j) v[j] = whole_double((word[j] >> 11) + 1) * 0x1p-53;
    GAMELAN_EACH(j) {
      const auto found = methods::round_of(by, u[j] - 0.5, n * less + 0.5);
      out[j] = (found.us >= 0.07) & (v[j] <= by.v_low) ? found.k : nothing;
    }
  }
  if (p[1][0] > 0.5) GAMELAN_EACH(j) out[j] = n - out[j];
}

void geometric(Substreams& s, Parameters p, Numbers& out) {
  const double success = p[0][0];
  if (!are_equal(p[0]) || !(success < 1)) return leave_all(out);
  const double log_of_failure = std::log1p(-success);
  s.exponentials(out);
  GAMELAN_EACH(j) out[j] = methods::geometric_of(out[j], log_of_failure);
}

}  // namespace

DrawChunk draw_chunk_of(int distribution) {
  enum class Name {
#define DISTRIBUTION(name, parameters, draw) name,
#include "protocol/distributions.def"
#undef DISTRIBUTION
  };
  switch (static_cast<Name>(distribution)) {
#define GAMELAN_CHUNKS(name)                                                                       \
  case Name::name:                                                                                 \
    return [](std::uint64_t key, std::uint64_t first, const double(*p)[draw_chunk], double* out) { \
      Substreams s(key, first);                                                                    \
      GAMELAN_ISA::name(s, p, *reinterpret_cast<Numbers*>(out));                                   \
    };
    GAMELAN_CHUNKS(exponential)
    GAMELAN_CHUNKS(gamma)
    GAMELAN_CHUNKS(beta)
    GAMELAN_CHUNKS(chisquare)
    GAMELAN_CHUNKS(f)
    GAMELAN_CHUNKS(standard_t)
    GAMELAN_CHUNKS(lognormal)
    GAMELAN_CHUNKS(laplace)
    GAMELAN_CHUNKS(logistic)
    GAMELAN_CHUNKS(gumbel)
    GAMELAN_CHUNKS(standard_cauchy)
    GAMELAN_CHUNKS(pareto)
    GAMELAN_CHUNKS(power)
    GAMELAN_CHUNKS(rayleigh)
    GAMELAN_CHUNKS(weibull)
    GAMELAN_CHUNKS(wald)
    GAMELAN_CHUNKS(triangular)
    GAMELAN_CHUNKS(poisson)
    GAMELAN_CHUNKS(binomial)
    GAMELAN_CHUNKS(negative_binomial)
    GAMELAN_CHUNKS(geometric)
    default:
      return nullptr;
  }
}

}  // namespace gamelan::protocol::GAMELAN_ISA
