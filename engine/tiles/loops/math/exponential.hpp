// SPDX-License-Identifier: BSD-3-Clause
// exp of float64 by vectors of AVX2 (docs/decisions/035): elementwise_loops.cpp calls it through
// vector_math.hpp. The numbers are those of engine/jit/exponential.hpp, and machine code computes the same.
// Nothing here may be contracted: each operation is written as it is to be rounded.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <limits>

#include "engine/jit/exponential.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

// The level is compiled without fused multiply-adds, because g++ would make some of other expressions.
#define GAMELAN_FUSED __attribute__((target("avx2,fma")))
#define GAMELAN_FUSED_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

/// e^x without its power of 2, and in the low bits of `rounded` that power.
struct Mantissas {
  __m256d value, rounded;
};

GAMELAN_FUSED_INLINE Mantissas exp_mantissas(__m256d x) {
  namespace e = jit::exponential;
  const __m256d rounder = _mm256_set1_pd(e::rounder);
  const __m256d rounded = _mm256_fmadd_pd(x, _mm256_set1_pd(e::by_ln_2), rounder);
  const __m256d n = _mm256_sub_pd(rounded, rounder);
  __m256d r = _mm256_fnmadd_pd(n, _mm256_set1_pd(e::ln_2_high), x);
  r = _mm256_fnmadd_pd(n, _mm256_set1_pd(e::ln_2_low), r);
  __m256d q = _mm256_set1_pd(e::coefficients[0]);
  for (std::size_t k = 1; k < e::coefficients.size(); ++k)
    q = _mm256_fmadd_pd(q, r, _mm256_set1_pd(e::coefficients[k]));
  q = _mm256_mul_pd(q, r);
  q = _mm256_fmadd_pd(q, r, r);
  return {_mm256_add_pd(q, _mm256_set1_pd(1)), rounded};
}

/// Where some result is no normal number: the power of 2 is multiplied in two parts, which rounds once and
/// raises the flags of overflow and underflow. Infinities raise none.
GAMELAN_FUSED_INLINE __m256d exp_of_any(__m256d x) {
  namespace e = jit::exponential;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const __m256d above = _mm256_set1_pd(e::above_all), below = _mm256_set1_pd(e::below_all),
                infinite = _mm256_set1_pd(infinity);
  __m256d bounded = _mm256_blendv_pd(x, above, _mm256_cmp_pd(x, above, _CMP_GT_OQ));
  bounded = _mm256_blendv_pd(bounded, below, _mm256_cmp_pd(bounded, below, _CMP_LT_OQ));
  auto [value, rounded] = exp_mantissas(bounded);
  value = _mm256_andnot_pd(_mm256_cmp_pd(x, _mm256_set1_pd(-infinity), _CMP_EQ_OQ), value);
  value = _mm256_blendv_pd(value, infinite, _mm256_cmp_pd(x, infinite, _CMP_EQ_OQ));
  const __m256i n = _mm256_castpd_si256(rounded), half = _mm256_srai_epi32(n, 1);
  const __m256i bias = _mm256_set1_epi64x(static_cast<long long>(e::exponent_of_1));
  const auto power = [&](__m256i of) GAMELAN_FUSED {
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_slli_epi64(of, e::fraction_bits), bias));
  };
  return _mm256_mul_pd(_mm256_mul_pd(value, power(half)), power(_mm256_sub_epi32(n, half)));
}

GAMELAN_FUSED_INLINE __m256d exp_of(__m256d x) {
  namespace e = jit::exponential;
  constexpr int all_lanes = 0xf;
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  const __m256d is_near = _mm256_cmp_pd(size, _mm256_set1_pd(e::near), _CMP_LE_OQ);
  if (__builtin_expect(_mm256_movemask_pd(is_near) != all_lanes, 0)) return exp_of_any(x);
  const auto [value, rounded] = exp_mantissas(x);
  return _mm256_castsi256_pd(_mm256_add_epi64(
      _mm256_castpd_si256(value), _mm256_slli_epi64(_mm256_castpd_si256(rounded), e::fraction_bits)));
}

/// out[i] = e^x[i]; out may be x. A result depends on its argument only, never on its place.
GAMELAN_FUSED inline void exponentials(const double* x, double* out, std::size_t n) {
  constexpr std::size_t width = 4;
  std::size_t done = 0;
  for (; done + width <= n; done += width) _mm256_storeu_pd(out + done, exp_of(_mm256_loadu_pd(x + done)));
  if (done == n) return;
  double tail[width];
  for (std::size_t lane = 0; lane < width; ++lane) tail[lane] = x[done + lane < n ? done + lane : done];
  _mm256_storeu_pd(tail, exp_of(_mm256_loadu_pd(tail)));
  for (std::size_t lane = 0; done + lane < n; ++lane) out[done + lane] = tail[lane];
}

#undef GAMELAN_FUSED
#undef GAMELAN_FUSED_INLINE

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
