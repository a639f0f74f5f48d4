// SPDX-License-Identifier: BSD-3-Clause
// A run of floats or doubles is folded in vectors. The operations of every lane, and the tree that combines
// them, are those of fold.hpp, so the bits do not depend on how wide vectors are. Compiled once per
// instruction-set level, as what includes it.
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/rows.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {

#ifdef __AVX__
constexpr std::int64_t vector_bytes = 32;
#else
constexpr std::int64_t vector_bytes = 16;
#endif

/// True where the expression of a row is one of vectors, too.
template <class Row, class T>
constexpr bool has_vector_lanes = Real<T> &&
                                  (Row::op == protocol::Op::add || Row::op == protocol::Op::multiply ||
                                   Row::op == protocol::Op::maximum || Row::op == protocol::Op::minimum ||
                                   Row::op == protocol::Op::fmax || Row::op == protocol::Op::fmin);

/// Vectors of floats or doubles as wide as the level's.
template <class T>
struct VectorOf {
  static constexpr int width = vector_bytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  typedef T Unaligned __attribute__((vector_size(vector_bytes), aligned(sizeof(T)), may_alias));
  /// Vector k of those that begin at `values`.
  static Vector at(const T* values, int k) { return *reinterpret_cast<const Unaligned*>(values + k * width); }
};

/// The products of two runs, which are stored nowhere: VectorLanes takes them as it takes values.
template <class T>
struct Products {
  const T *x, *y;
  Products operator+(std::int64_t by) const { return {x + by, y + by}; }
  T operator[](std::int64_t i) const { return x[i] * y[i]; }
};

/// The lanes of a run of floats or doubles, in vectors. From arrays the compiler would copy them with vectors
/// of another width, for which loads then wait, and combine those that are compared one by one. Values are a
/// `const T*` or Products<T>.
template <class Row, class T>
class VectorLanes {
 public:
  template <class Values>
  explicit VectorLanes(Values values) {
    for (int k = 0; k < count; ++k) lane_[k] = at(values, k);
  }
  template <class Values>
  void add(Values values) {
    for (int k = 0; k < count; ++k) lane_[k] = Row::apply(lane_[k], at(values, k));
  }
  /// Fewer values than lanes. The elements of a vector that get none meet one that raises no error.
  template <class Values>
  void add(Values values, std::int64_t left) {
    if (left == 0) return;
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k, left -= width) {
      if (left >= width) lane_[k] = Row::apply(lane_[k], at(values, k));
      if (left <= 0 || left >= width) continue;
      Vector rest = Vector{} + (Row::identity == rows::Identity::one ? T(1) : T(0));
      Index is_there{};
#pragma GCC unroll 8
      for (int i = 0; i < width - 1; ++i)
        if (i < left) rest[i] = values[k * width + i], is_there[i] = -1;
      lane_[k] = is_there ? Row::apply(lane_[k], rest) : lane_[k];
    }
  }
  T combined() {
#pragma GCC unroll 8
    for (int half = count / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) lane_[k] = Row::apply(lane_[k], lane_[k + half]);
    fold_vector<width / 2>(std::make_integer_sequence<int, width>());
    return lane_[0][0];
  }

 private:
  static constexpr int width = VectorOf<T>::width, count = lane_count / width;
  using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using Vector = typename VectorOf<T>::Vector;
  typedef Integer Index __attribute__((vector_size(vector_bytes)));
  static Vector at(const T* values, int k) { return VectorOf<T>::at(values, k); }
  static Vector at(const Products<T>& values, int k) {
    return VectorOf<T>::at(values.x, k) * VectorOf<T>::at(values.y, k);
  }
  /// Folds the halves of the first vector, and the halves of that; the first half of each counts.
  template <int half, int... i>
  void fold_vector(std::integer_sequence<int, i...> all) {
    if constexpr (half > 0) {
      lane_[0] = Row::apply(lane_[0], __builtin_shuffle(lane_[0], Index{(i ^ half)...}));
      fold_vector<half / 2>(all);
    }
  }
  Vector lane_[count];
};

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
