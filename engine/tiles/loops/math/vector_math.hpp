// SPDX-License-Identifier: BSD-3-Clause
// Which rows of the op table are computed by whole vectors, in float and double: of glibc's libmvec, and exp
// of doubles with AVX2 by our own, which machine code computes too (docs/decisions/035). A partial
// vector at the end is padded and goes through the same function. So a result depends on its argument only,
// never on its place.
#pragma once
#include <immintrin.h>

#include <cstddef>

#include "engine/tiles/loops/math/exceptional.hpp"
#if defined(__AVX2__) && !defined(__AVX512F__)
#include "engine/tiles/loops/math/exponential.hpp"
#define GAMELAN_HAS_OWN_EXP
#endif

namespace gamelan::engine::tiles::GAMELAN_ISA {

#if defined(__AVX512F__)
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVeN8##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVeN16##operands##_##name
#elif defined(__AVX2__)
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVdN4##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVdN8##operands##_##name
#else
#define GAMELAN_DOUBLE_SYMBOL(operands, name) _ZGVbN2##operands##_##name
#define GAMELAN_FLOAT_SYMBOL(operands, name) _ZGVbN4##operands##_##name
#endif

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

/// Computes several vectors at `x`. They are seldom exceptional: one look at all of them.
template <protocol::Op op, class T, std::size_t vectors>
void map_block(const T* x, T* out, Met<T>& met) {
  constexpr std::size_t width = lanes<T>;
  const auto call = [](Vector<T> at) { return VectorFunction<op, T>::call(at); };
  const auto write = [&](const auto& function) {
    for (std::size_t k = 0; k < vectors; ++k) store(out + k * width, function(load(x + k * width)));
  };
  constexpr Domain<T> of_op = domain<op, T>();
  if constexpr (!of_op.is_all()) {
    Lanes<T> outside{}, are_numbers = ~Lanes<T>{};
    for (std::size_t k = 0; k < vectors; ++k) {
      outside |= lanes_outside<op, T>(load(x + k * width));
      are_numbers &= is_equal<T>(load(x + k * width), load(x + k * width));
    }
    if (is_any<T>(outside)) return write([&](Vector<T> at) { return map_exceptional<op, T>(at, call, met); });
    if (!of_op.has_nan && is_any<T>(are_numbers ^ is_equal<T>(Vector<T>{}, Vector<T>{})))
      return write([&](Vector<T> at) { return map_nan<op, T>(at, call); });
  }
  write(call);
}

/// out[i] = op(x[i]); out may be x.
template <protocol::Op op, class T>
void map_vectors(const T* x, T* out, std::size_t n) {
#ifdef GAMELAN_HAS_OWN_EXP
  if constexpr (op == protocol::Op::exp && std::is_same_v<T, double>) return exponentials(x, out, n);
#endif
  constexpr std::size_t width = lanes<T>, together = 8;
  std::size_t done = 0;
  Met<T> met;
  for (; done + together * width <= n; done += together * width)
    map_block<op, T, together>(x + done, out + done, met);
  for (; done + width <= n; done += width) map_block<op, T, 1>(x + done, out + done, met);
  if (done < n) {
    // The padding repeats an argument: a constant could take a slow path for exceptional values.
    T tail[width];
    for (std::size_t lane = 0; lane < width; ++lane) tail[lane] = x[done + lane < n ? done + lane : done];
    map_block<op, T, 1>(tail, tail, met);
    for (std::size_t lane = 0; done + lane < n; ++lane) out[done + lane] = tail[lane];
  }
  met.raise();
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
