// SPDX-License-Identifier: BSD-3-Clause
// Vectors of doubles as wide as the machine's registers, by GCC's vector extension: arithmetic is written as
// for one number, and no loop depends on what the vectoriser recognises. Adds what the extension lacks:
// non-temporal stores, libmvec, folds.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gamelan::bench {

#if defined(__AVX512F__)
constexpr std::int64_t lanes = 8;
#else
constexpr std::int64_t lanes = 4;
#endif

typedef double Vec __attribute__((vector_size(lanes * 8)));
typedef std::int64_t Mask __attribute__((vector_size(lanes * 8)));

// By a type and not by memcpy: a store of doubles then changes no pointer that a loop holds.
typedef double UnalignedVec __attribute__((vector_size(lanes * 8), aligned(8)));

inline Vec load(const double* from) { return *reinterpret_cast<const UnalignedVec*>(from); }
inline void store(double* to, Vec value) { *reinterpret_cast<UnalignedVec*>(to) = value; }

inline Vec all(double value) { return value - Vec{}; }

/// Past the caches when `streaming`, which wants `to` aligned to the vector; pair with fence() before others
/// read.
template <bool streaming>
inline void put(double* to, Vec value) {
#if defined(__AVX512F__)
  if constexpr (streaming) return _mm512_stream_pd(to, value);
#elif defined(__AVX__)
  if constexpr (streaming) return _mm256_stream_pd(to, value);
#endif
  store(to, value);
}

/// Makes streaming stores visible before any later store of a flag or message.
inline void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

inline double sum(Vec value) {
  double total = 0.0;
  for (int lane = 0; lane < lanes; ++lane) total += value[lane];
  return total;
}

inline bool any(Mask mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
#else
  std::int64_t bits = 0;
  for (int lane = 0; lane < lanes; ++lane) bits |= mask[lane];
  return bits != 0;
#endif
}

inline Vec absolute(Vec value) {
  return reinterpret_cast<Vec>(reinterpret_cast<Mask>(value) & (Mask{} + 0x7FFFFFFFFFFFFFFF));
}

inline Vec square_root(Vec value) {
#if defined(__AVX512F__)
  return _mm512_sqrt_pd(value);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(value);
#else
  for (int lane = 0; lane < lanes; ++lane) value[lane] = std::sqrt(value[lane]);
  return value;
#endif
}

// libmvec by its vector ABI names: glibc's headers declare the clones under -ffast-math only, and without
// them
// `#pragma omp simd` calls the scalar function without a word.
#if defined(__AVX512F__)
extern "C" __m512d _ZGVeN8v_exp(__m512d);
extern "C" __m512d _ZGVeN8v_log(__m512d);
inline Vec exponential(Vec x) { return _ZGVeN8v_exp(x); }
inline Vec logarithm(Vec x) { return _ZGVeN8v_log(x); }
#elif defined(__AVX2__)
extern "C" __m256d _ZGVdN4v_exp(__m256d);
extern "C" __m256d _ZGVdN4v_log(__m256d);
inline Vec exponential(Vec x) { return _ZGVdN4v_exp(x); }
inline Vec logarithm(Vec x) { return _ZGVdN4v_log(x); }
#else
inline Vec exponential(Vec x) {
  for (int lane = 0; lane < lanes; ++lane) x[lane] = std::exp(x[lane]);
  return x;
}
inline Vec logarithm(Vec x) {
  for (int lane = 0; lane < lanes; ++lane) x[lane] = std::log(x[lane]);
  return x;
}
#endif

}  // namespace gamelan::bench
