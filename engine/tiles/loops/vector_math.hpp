// SPDX-License-Identifier: BSD-3-Clause
// Which rows of the op table are computed by whole vectors, in float and double: of glibc's libmvec, and exp
// of doubles with AVX2 by our own, which machine code computes too (docs/decisions/035). A partial
// vector at the end is padded and goes through the same function. So a result depends on its argument only,
// never on its place.
#pragma once
#include <immintrin.h>

#include <cstddef>

#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/exceptional.hpp"
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
  extern "C" DoubleVector GAMELAN_DOUBLE_SYMBOL(v, name)(DoubleVector) noexcept;           \
  extern "C" FloatVector GAMELAN_FLOAT_SYMBOL(v, name##f)(FloatVector) noexcept;           \
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
#define GAMELAN_VECTOR_2(op, name)                                                              \
  extern "C" DoubleVector GAMELAN_DOUBLE_SYMBOL(vv, name)(DoubleVector, DoubleVector) noexcept; \
  extern "C" FloatVector GAMELAN_FLOAT_SYMBOL(vv, name##f)(FloatVector, FloatVector) noexcept;  \
  template <>                                                                                   \
  struct VectorFunction<protocol::Op::op, double> {                                             \
    static constexpr bool exists = true;                                                        \
    static DoubleVector call(DoubleVector x, DoubleVector y) {                                  \
      return GAMELAN_DOUBLE_SYMBOL(vv, name)(x, y);                                             \
    }                                                                                           \
  };                                                                                            \
  template <>                                                                                   \
  struct VectorFunction<protocol::Op::op, float> {                                              \
    static constexpr bool exists = true;                                                        \
    static FloatVector call(FloatVector x, FloatVector y) {                                     \
      return GAMELAN_FLOAT_SYMBOL(vv, name##f)(x, y);                                           \
    }                                                                                           \
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

template <class T>
using Vector = decltype(load(static_cast<const T*>(nullptr)));

template <class T>
Vector<T> all_lanes(T number) {
  return Vector<T>{} + number;
}

/// NaN gives way to 1, which is in every domain: a comparison of NaN for its order would tell the processor
/// that there is something invalid.
template <class T>
Vector<T> without_nan(Vector<T> x) {
  return x == x ? x : all_lanes(T(1));
}

/// The lanes that are not in the domain of a function.
#if defined(__AVX512F__)
template <protocol::Op op, class T>
unsigned lanes_outside(Vector<T> x) {
  constexpr Domain<T> of_op = domain<op, T>();
  constexpr int is_below = of_op.has_nan ? _CMP_LT_OQ : _CMP_NGE_UQ;
  const Vector<T> least = all_lanes(of_op.least), greatest = all_lanes(of_op.greatest);
  if constexpr (sizeof(T) == sizeof(double))
    return _mm512_cmp_pd_mask(x, least, is_below) | _mm512_cmp_pd_mask(x, greatest, _CMP_GT_OQ);
  else
    return _mm512_cmp_ps_mask(x, least, is_below) | _mm512_cmp_ps_mask(x, greatest, _CMP_GT_OQ);
}
inline bool is_any(unsigned lanes) { return lanes != 0; }
template <class Lanes>
bool is_any(Lanes lanes) {
  const auto bits = reinterpret_cast<__m512i>(lanes);
  return _mm512_test_epi32_mask(bits, bits) != 0;
}
#else
template <protocol::Op op, class T>
auto lanes_outside(Vector<T> x) {
  constexpr Domain<T> of_op = domain<op, T>();
  const Vector<T> numbers = without_nan<T>(x);
  const auto outside = (numbers < of_op.least) | (numbers > of_op.greatest);
  return of_op.has_nan ? outside : outside | (x != x);
}
template <class Lanes>
bool is_any(Lanes lanes) {
#if defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(lanes)) != 0;
#else
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(lanes)) != 0;
#endif
}
#endif

/// The library gets 1 in place of what is exceptional. `flags`: gets those that the library would raise.
template <protocol::Op op, class T>
Vector<T> map_exceptional(Vector<T> x, unsigned& flags) {
  constexpr Domain<T> of_op = domain<op, T>();
  constexpr T infinity = std::numeric_limits<T>::infinity();
  // No guard: its code would be shared by the levels. Whoever comes first writes the same.
  static ExceptionalResults<T> exceptional;
  static bool is_known = false;
  if (!is_known) {
    exceptional = exceptional_results<T>(
        [](T argument) noexcept { return VectorFunction<op, T>::call(all_lanes(argument))[0]; });
    is_known = true;
  }
  const Vector<T> numbers = without_nan<T>(x);
  const auto is_above = numbers > of_op.greatest, is_below = numbers < of_op.least;
  const Vector<T> arguments = is_above | is_below ? all_lanes(T(1)) : of_op.has_nan ? x : numbers;
  Vector<T> all = VectorFunction<op, T>::call(arguments);
  if constexpr (!of_op.has_nan) all = x == x ? all : x + x;  // a quiet NaN
  if (!is_any(is_above | is_below)) return all;
  const auto put = [&](auto lanes, const Outcome<T>& outcome) {
    all = lanes ? all_lanes(outcome.result) : all;
    if (is_any(lanes)) flags |= outcome.flags;
  };
  put(is_above & (numbers != infinity), exceptional.above);
  put(is_below & (numbers != -infinity) & (numbers != 0), exceptional.below);
  put(is_above & (numbers == infinity), exceptional.at_infinity);
  put(is_below & (numbers == -infinity), exceptional.at_minus_infinity);
  if constexpr (of_op.least > 0) put(numbers == 0, exceptional.at_zero);
  return all;
}

template <protocol::Op op, class T>
Vector<T> map_vector(Vector<T> x, unsigned& flags) {
  if constexpr (!domain<op, T>().is_all())
    if (is_any(lanes_outside<op, T>(x))) return map_exceptional<op, T>(x, flags);
  return VectorFunction<op, T>::call(x);
}

/// Several vectors, which are seldom exceptional: one look at all of them.
template <protocol::Op op, class T, std::size_t vectors>
void map_block(const T* x, T* out, unsigned& flags) {
  constexpr std::size_t width = lanes<T>;
  if constexpr (!domain<op, T>().is_all()) {
    auto outside = lanes_outside<op, T>(load(x));
    for (std::size_t k = 1; k < vectors; ++k) outside |= lanes_outside<op, T>(load(x + k * width));
    if (is_any(outside)) {
      for (std::size_t k = 0; k < vectors; ++k)
        store(out + k * width, map_exceptional<op, T>(load(x + k * width), flags));
      return;
    }
  }
  for (std::size_t k = 0; k < vectors; ++k)
    store(out + k * width, VectorFunction<op, T>::call(load(x + k * width)));
}

/// out[i] = op(x[i]); out may be x.
template <protocol::Op op, class T>
void map_vectors(const T* x, T* out, std::size_t n) {
#ifdef GAMELAN_HAS_OWN_EXP
  if constexpr (op == protocol::Op::exp && std::is_same_v<T, double>) return exponentials(x, out, n);
#endif
  constexpr std::size_t width = lanes<T>, together = 8;
  std::size_t done = 0;
  unsigned flags = 0;
  for (; done + together * width <= n; done += together * width)
    map_block<op, T, together>(x + done, out + done, flags);
  for (; done + width <= n; done += width) store(out + done, map_vector<op, T>(load(x + done), flags));
  if (done == n) return raise(flags);
  // The padding repeats an argument: a constant could take a slow path for exceptional values.
  T tail[width];
  for (std::size_t lane = 0; lane < width; ++lane) tail[lane] = x[done + lane < n ? done + lane : done];
  store(tail, map_vector<op, T>(load(tail), flags));
  raise(flags);
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
