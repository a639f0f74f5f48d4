// SPDX-License-Identifier: BSD-3-Clause
// Which rows of the op table are computed by whole vectors, in float and double: of glibc's libmvec, and exp
// of doubles with AVX2 by our own, which machine code computes too (docs/decisions/035). A partial
// vector at the end is padded and goes through the same function. So a result depends on its argument only,
// never on its place.
#pragma once
#include <immintrin.h>

#include <cstddef>

#include "engine/tiles/loops/element.hpp"
#if defined(__AVX2__) && !defined(__AVX512F__)
#include "engine/tiles/loops/exponential.hpp"
#define GAMELAN_HAS_OWN_EXP
#endif

namespace gamelan::engine::tiles::GAMELAN_ISA {

#if defined(__AVX512F__)
using DoubleVector = __m512d;
using FloatVector = __m512;
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVeN8##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVeN16##operands##_##name
inline DoubleVector load(const double* from) { return _mm512_loadu_pd(from); }
inline FloatVector load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(double* to, DoubleVector vector) { _mm512_storeu_pd(to, vector); }
inline void store(float* to, FloatVector vector) { _mm512_storeu_ps(to, vector); }
#elif defined(__AVX2__)
using DoubleVector = __m256d;
using FloatVector = __m256;
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVdN4##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVdN8##operands##_##name
inline DoubleVector load(const double* from) { return _mm256_loadu_pd(from); }
inline FloatVector load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(double* to, DoubleVector vector) { _mm256_storeu_pd(to, vector); }
inline void store(float* to, FloatVector vector) { _mm256_storeu_ps(to, vector); }
#else
using DoubleVector = __m128d;
using FloatVector = __m128;
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVbN2##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVbN4##operands##_##name
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

template <protocol::Op op, class T>
struct VectorFunction {
  static constexpr bool exists = false;
};

#define GAMELAN_VECTOR_1(op, name)                                                         \
  extern "C" DoubleVector GAMELAN_DOUBLE_SYMBOL(v, name)(DoubleVector);                    \
  extern "C" FloatVector GAMELAN_FLOAT_SYMBOL(v, name##f)(FloatVector);                    \
  template <>                                                                              \
  struct VectorFunction<protocol::Op::op, double> {                                        \
    static constexpr bool exists = true;                                                   \
    static DoubleVector call(DoubleVector x) { return GAMELAN_DOUBLE_SYMBOL(v, name)(x); } \
  };                                                                                       \
  template <>                                                                              \
  struct VectorFunction<protocol::Op::op, float> {                                         \
    static constexpr bool exists = true;                                                   \
    static FloatVector call(FloatVector x) { return GAMELAN_FLOAT_SYMBOL(v, name##f)(x); } \
  };
#define GAMELAN_VECTOR_2(op, name)                                                     \
  extern "C" DoubleVector GAMELAN_DOUBLE_SYMBOL(vv, name)(DoubleVector, DoubleVector); \
  extern "C" FloatVector GAMELAN_FLOAT_SYMBOL(vv, name##f)(FloatVector, FloatVector);  \
  template <>                                                                          \
  struct VectorFunction<protocol::Op::op, double> {                                    \
    static constexpr bool exists = true;                                               \
    static DoubleVector call(DoubleVector x, DoubleVector y) {                         \
      return GAMELAN_DOUBLE_SYMBOL(vv, name)(x, y);                                    \
    }                                                                                  \
  };                                                                                   \
  template <>                                                                          \
  struct VectorFunction<protocol::Op::op, float> {                                     \
    static constexpr bool exists = true;                                               \
    static FloatVector call(FloatVector x, FloatVector y) {                            \
      return GAMELAN_FLOAT_SYMBOL(vv, name##f)(x, y);                                  \
    }                                                                                  \
  };

GAMELAN_VECTOR_1(cbrt, cbrt)
GAMELAN_VECTOR_1(exp, exp)
GAMELAN_VECTOR_1(exp2, exp2)
GAMELAN_VECTOR_1(expm1, expm1)
GAMELAN_VECTOR_1(log, log)
GAMELAN_VECTOR_1(log2, log2)
GAMELAN_VECTOR_1(log10, log10)
GAMELAN_VECTOR_1(log1p, log1p)
GAMELAN_VECTOR_1(sin, sin)
GAMELAN_VECTOR_1(cos, cos)
GAMELAN_VECTOR_1(tan, tan)
GAMELAN_VECTOR_1(arcsin, asin)
GAMELAN_VECTOR_1(arccos, acos)
GAMELAN_VECTOR_1(arctan, atan)
GAMELAN_VECTOR_1(sinh, sinh)
GAMELAN_VECTOR_1(cosh, cosh)
GAMELAN_VECTOR_1(tanh, tanh)
GAMELAN_VECTOR_1(arcsinh, asinh)
GAMELAN_VECTOR_1(arccosh, acosh)
GAMELAN_VECTOR_1(arctanh, atanh)
GAMELAN_VECTOR_2(power, pow)
GAMELAN_VECTOR_2(float_power, pow)
GAMELAN_VECTOR_2(arctan2, atan2)
GAMELAN_VECTOR_2(hypot, hypot)
#undef GAMELAN_VECTOR_1
#undef GAMELAN_VECTOR_2
#undef GAMELAN_DOUBLE_SYMBOL
#undef GAMELAN_FLOAT_SYMBOL

/// out[i] = op(x[i]); out may be x.
template <protocol::Op op, class T>
void map_vectors(const T* x, T* out, std::size_t n) {
#ifdef GAMELAN_HAS_OWN_EXP
  if constexpr (op == protocol::Op::exp && std::is_same_v<T, double>) return exponentials(x, out, n);
#endif
  constexpr std::size_t width = lanes<T>;
  std::size_t done = 0;
  for (; done + width <= n; done += width) store(out + done, VectorFunction<op, T>::call(load(x + done)));
  if (done == n) return;
  // The padding repeats an argument: a constant could take a slow path for exceptional values.
  T tail[width];
  for (std::size_t lane = 0; lane < width; ++lane) tail[lane] = x[done + lane < n ? done + lane : done];
  store(tail, VectorFunction<op, T>::call(load(tail)));
  for (std::size_t lane = 0; done + lane < n; ++lane) out[done + lane] = tail[lane];
}

/// out[i] = op(x[i], y[i]); out may be x or y.
template <protocol::Op op, class T>
void map_vectors(const T* x, const T* y, T* out, std::size_t n) {
  constexpr std::size_t width = lanes<T>;
  std::size_t done = 0;
  for (; done + width <= n; done += width) {
    store(out + done, VectorFunction<op, T>::call(load(x + done), load(y + done)));
  }
  if (done == n) return;
  T tail_x[width], tail_y[width];
  for (std::size_t lane = 0; lane < width; ++lane) {
    tail_x[lane] = x[done + lane < n ? done + lane : done];
    tail_y[lane] = y[done + lane < n ? done + lane : done];
  }
  store(tail_x, VectorFunction<op, T>::call(load(tail_x), load(tail_y)));
  for (std::size_t lane = 0; done + lane < n; ++lane) out[done + lane] = tail_x[lane];
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
