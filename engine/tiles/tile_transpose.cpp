// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_transpose.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <cstring>

#include "engine/tiles/loops/isa.hpp"

namespace gamelan::engine::tiles {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t rows_ahead =
    32;  // asked for: rows are far apart, so the processor does not foresee them

/// A square of `side` elements in the processor's registers.
template <class T, int side>
void transpose_square(const std::byte* from, std::int64_t from_stride, std::byte* to,
                      std::int64_t to_stride) {
  T square[side][side];
  for (int i = 0; i < side; ++i) std::memcpy(square[i], from + i * from_stride, sizeof square[i]);
  for (int j = 0; j < side; ++j) {
    T row[side];
#pragma GCC unroll 8
    for (int i = 0; i < side; ++i) row[i] = square[i][j];
    std::memcpy(to + j * to_stride, row, sizeof row);
  }
}

/// Asks for what follows on the next rows but a few.
void ask_ahead(const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t bytes) {
  for (std::int64_t row = rows_ahead; row < rows_ahead + rows; ++row) {
    const auto* ahead = reinterpret_cast<const char*>(from + row * from_stride);
    for (std::int64_t byte = 0; byte < bytes; byte += line_bytes) __builtin_prefetch(ahead + byte);
    __builtin_prefetch(ahead + bytes - 1);
  }
}

#ifdef __x86_64__
/// Four rows of doubles, as far as whole squares go; returns the columns done.
__attribute__((target("avx2"))) std::int64_t turn_four(const std::byte* from, std::int64_t from_stride,
                                                       std::int64_t columns, std::byte* to,
                                                       std::int64_t to_stride) {
  constexpr int low = 0x20, high = 0x31;
  const auto load = [&](std::int64_t row, std::int64_t column) __attribute__((target("avx2"))) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(from + row * from_stride) + column);
  };
  const auto store = [&](std::int64_t column, __m256d value) __attribute__((target("avx2"))) {
    _mm256_storeu_pd(reinterpret_cast<double*>(to + column * to_stride), value);
  };
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const __m256d a = load(0, j), b = load(1, j), c = load(2, j), d = load(3, j);
    const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
    const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
    store(j, _mm256_permute2f128_pd(ab_even, cd_even, low));
    store(j + 1, _mm256_permute2f128_pd(ab_odd, cd_odd, low));
    store(j + 2, _mm256_permute2f128_pd(ab_even, cd_even, high));
    store(j + 3, _mm256_permute2f128_pd(ab_odd, cd_odd, high));
  }
  return j;
}
#endif

template <class T, int side>
void turn(const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns,
          std::byte* to, std::int64_t to_stride) {
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  std::int64_t i = 0;
  for (; i + side <= rows; i += side, from += side * from_stride, to += side * item) {
    ask_ahead(from, from_stride, side, columns * item);
    std::int64_t j = 0;
#ifdef __x86_64__
    if constexpr (item == sizeof(double) && side == 4)
      if (isa() >= Isa::avx2) j = turn_four(from, from_stride, columns, to, to_stride);
#endif
    for (; j + side <= columns; j += side)
      transpose_square<T, side>(from + j * item, from_stride, to + j * to_stride, to_stride);
    for (; j < columns; ++j)
      for (int row = 0; row < side; ++row)
        std::memcpy(to + j * to_stride + row * item, from + row * from_stride + j * item, sizeof(T));
  }
  for (; i < rows; ++i, from += from_stride, to += item)
    for (std::int64_t j = 0; j < columns; ++j) std::memcpy(to + j * to_stride, from + j * item, sizeof(T));
}

struct Pair {
  std::uint64_t parts[2];
};

}  // namespace

bool can_transpose(std::int64_t item_bytes) {
  return item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8 || item_bytes == 16;
}

void transpose(std::int64_t item_bytes, const std::byte* from, std::int64_t from_stride, std::int64_t rows,
               std::int64_t columns, std::byte* to, std::int64_t to_stride) {
  switch (item_bytes) {
    case 1:
      return turn<std::uint8_t, 8>(from, from_stride, rows, columns, to, to_stride);
    case 2:
      return turn<std::uint16_t, 8>(from, from_stride, rows, columns, to, to_stride);
    case 4:
      return turn<std::uint32_t, 8>(from, from_stride, rows, columns, to, to_stride);
    case 8:
      return turn<std::uint64_t, 4>(from, from_stride, rows, columns, to, to_stride);
    default:
      return turn<Pair, 4>(from, from_stride, rows, columns, to, to_stride);
  }
}

}  // namespace gamelan::engine::tiles
