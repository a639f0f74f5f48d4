// SPDX-License-Identifier: BSD-3-Clause
// The typed running folds (scan.hpp says what they mean) of every row that the op table calls associative.
// Built like fold_loops.cpp, once per instruction-set level. The order of operations is that of the elements,
// at every level.
#include <cstring>
#include <type_traits>

#include "engine/tiles/loops/rows.hpp"
#include "engine/tiles/loops/scan_tables.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

using protocol::Op;

constexpr std::int64_t abreast = 4;  // lines side by side: enough to hide the latency of an addition

template <class Row, class T, std::int64_t count, bool has_starts>
void scan_abreast(const T* in, std::int64_t length, const T* starts, T* out) {
  T fold[count];
  for (std::int64_t line = 0; line < count; ++line) {
    fold[line] = in[line * length];
    out[line * length] = has_starts ? Row::apply(starts[line], fold[line]) : fold[line];
  }
  for (std::int64_t i = 1; i < length; ++i) {
#pragma GCC unroll 4
    for (std::int64_t line = 0; line < count; ++line) {
      fold[line] = Row::apply(fold[line], in[line * length + i]);
      out[line * length + i] = has_starts ? Row::apply(starts[line], fold[line]) : fold[line];
    }
  }
}

/// Sums and products of numbers of 4 or 8 bytes, which a vector of the processor computes side by side.
template <class Row, class T>
constexpr bool is_in_vectors = (Real<T> || Integer<T>)&&sizeof(T) >= 4 &&
                               (std::is_same_v<Row, rows::add_row> ||
                                std::is_same_v<Row, rows::multiply_row>);

template <class T>
using Vector __attribute__((vector_size(abreast * sizeof(T)))) = T;

/// Element j of vector i and element i of vector j change places.
template <class T>
[[gnu::always_inline]] inline void transpose(Vector<T> (&v)[abreast]) {
  using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using Places = Vector<Index>;
  const auto even = __builtin_shuffle(v[0], v[1], Places{0, 4, 2, 6}),
             odd = __builtin_shuffle(v[0], v[1], Places{1, 5, 3, 7}),
             even_below = __builtin_shuffle(v[2], v[3], Places{0, 4, 2, 6}),
             odd_below = __builtin_shuffle(v[2], v[3], Places{1, 5, 3, 7});
  v[0] = __builtin_shuffle(even, even_below, Places{0, 1, 4, 5});
  v[1] = __builtin_shuffle(odd, odd_below, Places{0, 1, 4, 5});
  v[2] = __builtin_shuffle(even, even_below, Places{2, 3, 6, 7});
  v[3] = __builtin_shuffle(odd, odd_below, Places{2, 3, 6, 7});
}

/// scan_abreast in vectors: four elements of four lines are transposed, so that a vector holds one of each
/// line.
template <class Row, class T, bool has_starts>
void scan_in_vectors(const T* in, std::int64_t length, const T* starts, T* out) {
  const auto apply = [](const Vector<T>& x, const Vector<T>& y, Vector<T>& result) {
    if constexpr (std::is_same_v<Row, rows::add_row>)
      result = x + y;
    else
      result = x * y;
  };
  Vector<T> fold{}, start{}, part[abreast];
  if (has_starts) std::memcpy(&start, starts, sizeof start);
  std::int64_t i = 0;
  for (; i + abreast <= length; i += abreast) {
#pragma GCC unroll 4
    for (std::int64_t line = 0; line < abreast; ++line)
      std::memcpy(&part[line], in + line * length + i, sizeof part[line]);
    transpose<T>(part);
    if (i > 0) apply(fold, part[0], part[0]);
#pragma GCC unroll 4
    for (std::int64_t k = 1; k < abreast; ++k) apply(part[k - 1], part[k], part[k]);
    fold = part[abreast - 1];
    if (has_starts)
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < abreast; ++k) apply(start, part[k], part[k]);
    transpose<T>(part);
#pragma GCC unroll 4
    for (std::int64_t line = 0; line < abreast; ++line)
      std::memcpy(out + line * length + i, &part[line], sizeof part[line]);
  }
  T folds[abreast];
  std::memcpy(folds, &fold, sizeof folds);
  for (std::int64_t line = 0; line < abreast; ++line)
    for (auto k = i; k < length; ++k) {
      const T value = in[line * length + k];
      folds[line] = k == 0 ? value : Row::apply(folds[line], value);
      out[line * length + k] = has_starts ? Row::apply(starts[line], folds[line]) : folds[line];
    }
}

template <class Row, class T, bool has_starts>
void scan_all(const T* in, std::int64_t lines, std::int64_t length, const T* starts, T* out) {
  const auto from = [&](std::int64_t line) { return has_starts ? starts + line : nullptr; };
  std::int64_t line = 0;
  for (; line + abreast <= lines; line += abreast) {
    if constexpr (is_in_vectors<Row, T>)
      scan_in_vectors<Row, T, has_starts>(in + line * length, length, from(line), out + line * length);
    else
      scan_abreast<Row, T, abreast, has_starts>(in + line * length, length, from(line), out + line * length);
  }
  if (line + 2 <= lines) {
    scan_abreast<Row, T, 2, has_starts>(in + line * length, length, from(line), out + line * length);
    line += 2;
  }
  if (line < lines)
    scan_abreast<Row, T, 1, has_starts>(in + line * length, length, from(line), out + line * length);
}

template <class Row, class T>
void scan_lines(const void* in, std::int64_t lines, std::int64_t length, const void* starts, void* out) {
  if (starts != nullptr)
    scan_all<Row, T, true>(static_cast<const T*>(in), lines, length, static_cast<const T*>(starts),
                           static_cast<T*>(out));
  else
    scan_all<Row, T, false>(static_cast<const T*>(in), lines, length, nullptr, static_cast<T*>(out));
}

template <class Row, class T, std::int64_t count>
void fold_abreast(const T* in, std::int64_t length, T* out) {
  T fold[count];
  for (std::int64_t line = 0; line < count; ++line) fold[line] = in[line * length];
  for (std::int64_t i = 1; i < length; ++i) {
#pragma GCC unroll 8
    for (std::int64_t line = 0; line < count; ++line)
      fold[line] = Row::apply(fold[line], in[line * length + i]);
  }
  for (std::int64_t line = 0; line < count; ++line) out[line] = fold[line];
}

template <class Row, class T>
void fold_lines(const void* from, std::int64_t lines, std::int64_t length, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  std::int64_t line = 0;
  for (; line + 2 * abreast <= lines; line += 2 * abreast)  // nothing is stored: registers for twice as many
    fold_abreast<Row, T, 2 * abreast>(in + line * length, length, out + line);
  if (line + abreast <= lines) {
    fold_abreast<Row, T, abreast>(in + line * length, length, out + line);
    line += abreast;
  }
  for (; line < lines; ++line) fold_abreast<Row, T, 1>(in + line * length, length, out + line);
}

}  // namespace

ScanLoops scan_loops(Op op, Dtype dtype) {
  return with_element(dtype, [&]<class T>() {
    return rows::with_fold<T, ScanLoops>(op, []<class Row>() {
      return ScanLoops{scan_lines<Row, T>, fold_lines<Row, T>};
    });
  });
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
