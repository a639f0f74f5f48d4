// SPDX-License-Identifier: BSD-3-Clause
// The loop of split_columns.hpp, built once per instruction-set level: squares of four rows and four columns
// in the processor's registers, and what is left element by element.
#include <algorithm>
#include <cstring>

#include "engine/tiles/loops/split_columns.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

constexpr std::int64_t side = 4;
// What a tile is computed from is asked for while the tile before it is computed: all lines of short rows,
// and of longer ones those in which the columns begin and end.
constexpr std::ptrdiff_t bytes_ahead = 16'384, line_bytes = 64;
constexpr std::ptrdiff_t fewest_ahead = 32;  // rows

template <class T>
void copy(const std::byte* from, std::byte* to, std::int64_t element) {
  std::memcpy(to + element * static_cast<std::int64_t>(sizeof(T)), from, sizeof(T));
}

/// Four rows of four columns become elements `first` to first + 3 of the columns. (Of a memcpy of a vector
/// the compiler makes two halves in memory, for which the vector then waits.)
template <class T>
[[gnu::always_inline]] inline void turn_square(const std::byte* rows, std::ptrdiff_t pitch,
                                               std::byte* const* to, std::int64_t first) {
  typedef T Four __attribute__((vector_size(side * sizeof(T))));
  typedef Four Anywhere __attribute__((aligned(1), may_alias));
  const Four a = *reinterpret_cast<const Anywhere*>(rows);
  const Four b = *reinterpret_cast<const Anywhere*>(rows + pitch);
  const Four c = *reinterpret_cast<const Anywhere*>(rows + 2 * pitch);
  const Four d = *reinterpret_cast<const Anywhere*>(rows + 3 * pitch);
  const Four even{0, 4, 2, 6}, odd{1, 5, 3, 7}, low{0, 1, 4, 5}, high{2, 3, 6, 7};
  const Four ab_even = __builtin_shuffle(a, b, even), ab_odd = __builtin_shuffle(a, b, odd);
  const Four cd_even = __builtin_shuffle(c, d, even), cd_odd = __builtin_shuffle(c, d, odd);
  const auto at = first * static_cast<std::int64_t>(sizeof(T));
  *reinterpret_cast<Anywhere*>(to[0] + at) = __builtin_shuffle(ab_even, cd_even, low);
  *reinterpret_cast<Anywhere*>(to[1] + at) = __builtin_shuffle(ab_odd, cd_odd, low);
  *reinterpret_cast<Anywhere*>(to[2] + at) = __builtin_shuffle(ab_even, cd_even, high);
  *reinterpret_cast<Anywhere*>(to[3] + at) = __builtin_shuffle(ab_odd, cd_odd, high);
}

/// Asks for the columns of `side` rows further on.
[[gnu::always_inline]] inline void ask_ahead(const std::byte* rows, std::ptrdiff_t pitch,
                                             std::ptrdiff_t row_bytes) {
  if (pitch <= line_bytes) {
    for (std::ptrdiff_t byte = 0; byte < side * pitch; byte += line_bytes)
      __builtin_prefetch(rows + bytes_ahead + byte);
    return;
  }
  const auto* row = rows + std::max(bytes_ahead / pitch, fewest_ahead) * pitch;
  for (std::int64_t i = 0; i < side; ++i, row += pitch) {
    __builtin_prefetch(row);
    __builtin_prefetch(row + row_bytes - 1);
  }
}

template <class T, std::int64_t columns>
void split(const std::byte* rows, std::ptrdiff_t pitch, std::int64_t count, std::byte* const* to) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t in_squares = columns / side * side;
  std::byte* place[columns];  // the compiler need not think that what is written is where it goes
  std::memcpy(place, to, sizeof place);
  std::int64_t i = 0;
  for (; i + side <= count; i += side, rows += side * pitch) {
    ask_ahead(rows, pitch, columns * item);
    for (std::int64_t j = 0; j < in_squares; j += side) turn_square<T>(rows + j * item, pitch, place + j, i);
    for (std::int64_t j = in_squares; j < columns; ++j)
      for (std::int64_t row = 0; row < side; ++row) copy<T>(rows + row * pitch + j * item, place[j], i + row);
  }
  for (; i < count; ++i, rows += pitch)
    for (std::int64_t j = 0; j < columns; ++j) copy<T>(rows + j * item, place[j], i);
}

template <class T>
SplitColumns find(std::size_t columns) {
  constexpr SplitColumns loops[] = {split<T, 2>, split<T, 3>, split<T, 4>, split<T, 5>,
                                    split<T, 6>, split<T, 7>, split<T, 8>};
  return columns < 2 || columns > most_split_columns ? nullptr : loops[columns - 2];
}

}  // namespace

SplitColumns find_split_columns(std::int64_t item_bytes, std::size_t columns) {
  if (item_bytes == sizeof(std::int64_t)) return find<std::int64_t>(columns);
  return item_bytes == sizeof(std::int32_t) ? find<std::int32_t>(columns) : nullptr;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
