// SPDX-License-Identifier: BSD-3-Clause
// Loops of two arithmetic operations in one pass: outer(inner(x, y), z). Most programs are chains of +, - and
// *. A loop that keeps the intermediate value in a vector register saves writing and reading a tile. Each
// operation is rounded by itself (no contraction), so fusing changes no bit. Built like
// elementwise_loops.cpp.
#include "engine/tiles/loops/element.hpp"
#include "engine/tiles/loops/elementwise_tables.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

using protocol::Op;

struct Add {
  template <class T>
  static T apply(T x, T y) {
    return x + y;
  }
};
struct Multiply {
  template <class T>
  static T apply(T x, T y) {
    return x * y;
  }
};
struct Subtract {
  template <class T>
  static T apply(T x, T y) {
    return x - y;
  }
};
struct SubtractFrom {
  template <class T>
  static T apply(T x, T y) {
    return y - x;
  }
};

/// Bit k of `singles`: operand k is one repeated element.
template <class Inner, class Outer, class T, unsigned singles>
void pair_loop(const void* const* in, void* out, std::size_t n, const NullaryParams*) {
  const T* x = static_cast<const T*>(in[0]);
  const T* y = static_cast<const T*>(in[1]);
  const T* z = static_cast<const T*>(in[2]);
  T* result = static_cast<T*>(out);
  const T only_x = *x, only_y = *y, only_z = *z;
#pragma GCC ivdep
  for (std::size_t j = 0; j < n; ++j) {
    const T left = (singles & 1U) != 0 ? only_x : x[j];
    const T right = (singles & 2U) != 0 ? only_y : y[j];
    const T other = (singles & 4U) != 0 ? only_z : z[j];
    result[j] = Outer::apply(Inner::apply(left, right), other);
  }
}

template <class Inner, class Outer, class T>
Loop choose_singles(unsigned singles) {
  constexpr Loop loops[] = {pair_loop<Inner, Outer, T, 0>, pair_loop<Inner, Outer, T, 1>,
                            pair_loop<Inner, Outer, T, 2>, pair_loop<Inner, Outer, T, 3>,
                            pair_loop<Inner, Outer, T, 4>, pair_loop<Inner, Outer, T, 5>,
                            pair_loop<Inner, Outer, T, 6>, pair_loop<Inner, Outer, T, 7>};
  return loops[singles & 7U];
}

template <class Inner, class T>
Loop choose_outer(const Pair& pair, unsigned singles) {
  if (pair.outer == Op::add) return choose_singles<Inner, Add, T>(singles);
  if (pair.outer == Op::multiply) return choose_singles<Inner, Multiply, T>(singles);
  if (pair.outer != Op::subtract) return nullptr;
  return pair.is_inner_left ? choose_singles<Inner, Subtract, T>(singles)
                            : choose_singles<Inner, SubtractFrom, T>(singles);
}

template <class T>
Loop choose_inner(const Pair& pair, unsigned singles) {
  if (pair.inner == Op::add) return choose_outer<Add, T>(pair, singles);
  if (pair.inner == Op::subtract) return choose_outer<Subtract, T>(pair, singles);
  if (pair.inner == Op::multiply) return choose_outer<Multiply, T>(pair, singles);
  return nullptr;
}

}  // namespace

Loop find_pair(const Pair& pair, Dtype dtype, unsigned singles) {
  if (dtype == Dtype::float32) return choose_inner<float>(pair, singles);
  if (dtype == Dtype::float64) return choose_inner<double>(pair, singles);
  return nullptr;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
