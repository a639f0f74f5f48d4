// SPDX-License-Identifier: BSD-3-Clause
// Whole vectors of a level, and what is true of their lanes.
#pragma once
#include <immintrin.h>

#include <cstddef>

#include "engine/tiles/loops/element.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

#if defined(__AVX512F__)
using DoubleVector = __m512d;
using FloatVector = __m512;
inline DoubleVector load(const double* from) { return _mm512_loadu_pd(from); }
inline FloatVector load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(double* to, DoubleVector vector) { _mm512_storeu_pd(to, vector); }
inline void store(float* to, FloatVector vector) { _mm512_storeu_ps(to, vector); }
#elif defined(__AVX2__)
using DoubleVector = __m256d;
using FloatVector = __m256;
inline DoubleVector load(const double* from) { return _mm256_loadu_pd(from); }
inline FloatVector load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(double* to, DoubleVector vector) { _mm256_storeu_pd(to, vector); }
inline void store(float* to, FloatVector vector) { _mm256_storeu_ps(to, vector); }
#else
using DoubleVector = __m128d;
using FloatVector = __m128;
inline DoubleVector load(const double* from) { return _mm_loadu_pd(from); }
inline FloatVector load(const float* from) { return _mm_loadu_ps(from); }
inline void store(double* to, DoubleVector vector) { _mm_storeu_pd(to, vector); }
inline void store(float* to, FloatVector vector) { _mm_storeu_ps(to, vector); }
#endif
template <class T>
inline constexpr std::size_t lanes = 0;
template <>
inline constexpr std::size_t lanes<double> = sizeof(DoubleVector) / sizeof(double);
template <>
inline constexpr std::size_t lanes<float> = sizeof(FloatVector) / sizeof(float);
template <class T>
using Vector = decltype(load(static_cast<const T*>(nullptr)));

template <class T>
Vector<T> all_lanes(T number) {
  return Vector<T>{} + number;
}

/// True for the lanes of which that is true. Of NaN nothing is, and a quiet NaN raises no flag.
#if defined(__AVX512F__)
template <class T>
using Lanes = unsigned;
template <int relation, class T>
unsigned compare(Vector<T> x, Vector<T> y) {
  if constexpr (sizeof(T) == sizeof(double))
    return _mm512_cmp_pd_mask(x, y, relation);
  else
    return _mm512_cmp_ps_mask(x, y, relation);
}
template <class T>
Lanes<T> is_below(Vector<T> x, T number) {
  return compare<_CMP_LT_OQ, T>(x, all_lanes(number));
}
template <class T>
Lanes<T> is_above(Vector<T> x, T number) {
  return compare<_CMP_GT_OQ, T>(x, all_lanes(number));
}
template <class T>
Lanes<T> is_equal(Vector<T> x, Vector<T> y) {
  return compare<_CMP_EQ_OQ, T>(x, y);
}
template <class T>
Vector<T> choose(Lanes<T> lanes, Vector<T> x, Vector<T> y) {
  if constexpr (sizeof(T) == sizeof(double))
    return _mm512_mask_blend_pd(static_cast<__mmask8>(lanes), y, x);
  else
    return _mm512_mask_blend_ps(static_cast<__mmask16>(lanes), y, x);
}
template <class T>
bool is_any(Lanes<T> lanes) {
  return lanes != 0;
}
#else
template <class T>
using Lanes = decltype(Vector<T>{} == Vector<T>{});
template <class T>
Lanes<T> is_equal(Vector<T> x, Vector<T> y) {
  return x == y;
}
template <class T>
Vector<T> choose(Lanes<T> lanes, Vector<T> x, Vector<T> y) {
  return lanes ? x : y;
}
/// (A comparison of NaN for its order would raise the flag of what is invalid.)
template <class T>
Lanes<T> is_below(Vector<T> x, T number) {
  return (x == x ? x : all_lanes(number)) < number;
}
template <class T>
Lanes<T> is_above(Vector<T> x, T number) {
  return (x == x ? x : all_lanes(number)) > number;
}
template <class T>
bool is_any(Lanes<T> lanes) {
#if defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(lanes)) != 0;
#else
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(lanes)) != 0;
#endif
}
#endif

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
