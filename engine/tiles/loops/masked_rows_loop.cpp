// SPDX-License-Identifier: BSD-3-Clause
// The loop of masked_rows.hpp, built once per instruction-set level. Masks are as good as random, so the
// true rows are found bit by bit, without a branch for each row.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/tiles/loops/masked_rows.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

constexpr std::int64_t together = 64;  // rows: their truth values are the bits of a word

// Rows are skipped at random, so the processor does not foresee what is read. Where rows are short, nearly
// all lines of memory hold one that counts.
constexpr std::int64_t bytes_ahead = 4096, line_bytes = 64, most_pitch_ahead = 128;

/// The truth values of `count` rows as bits, the first row's lowest.
std::uint64_t bits_of(const std::byte* mask, std::int64_t pitch, std::int64_t count) {
  std::uint64_t bits = 0;
  if (pitch != 1 || count < together || std::endian::native != std::endian::little) {
    for (std::int64_t row = 0; row < count; ++row)
      bits |= std::uint64_t{mask[row * pitch] != std::byte{0}} << row;
    return bits;
  }
  constexpr std::uint64_t ones = 0x0101010101010101, most = 0x7f * ones;
  for (int byte = 0; byte < 8; ++byte) {
    std::uint64_t eight;
    std::memcpy(&eight, mask + 8 * byte, sizeof eight);
    const auto truths = ((((eight & most) + most) | eight) >> 7) & ones;  // 0 or 1 in each byte
    bits |= ((truths * 0x0102040810204080) >> 56) << (8 * byte);          // byte k is bit k of eight
  }
  return bits;
}

/// `length`: of the rows; 0 for any other than those that are known.
template <class T, std::int64_t length>
void add_masked_rows(const MaskedRows& of, T* sums) {
  T sum[std::max<std::int64_t>(length, 1)] = {};
  const auto row_bytes = static_cast<std::size_t>(of.row_length) * sizeof(T);
  std::int64_t added = 0;
  for (std::int64_t first = 0; first < of.count; first += together) {
    auto bits = bits_of(of.mask + first * of.mask_pitch, of.mask_pitch, std::min(together, of.count - first));
    const auto take = [&] {
      const auto row = first + std::countr_zero(bits);
      bits &= bits - 1;
      return reinterpret_cast<const T*>(of.rows + row * of.row_pitch);
    };
    if (of.row_pitch <= most_pitch_ahead) {
      const auto* ahead = of.rows + first * of.row_pitch + bytes_ahead;
      for (std::int64_t byte = 0; byte < together * of.row_pitch; byte += line_bytes)
        __builtin_prefetch(ahead + byte);
    }
    const auto number = std::popcount(bits);
    if (added == 0 && bits != 0)  // nothing but zeros came before it
      std::memcpy(length > 0 ? sum : sums, take(), row_bytes);
    added += number;
    while (bits != 0) {
      const T* const row = take();
      if constexpr (length > 0)
        for (std::int64_t j = 0; j < length; ++j) sum[j] += row[j];
      else
        for (std::int64_t j = 0; j < of.row_length; ++j) sums[j] += row[j];
    }
  }
  if constexpr (length > 0)
    std::memcpy(sums, sum, sizeof sum);
  else if (added == 0)
    std::fill_n(sums, of.row_length, T{0});
  if (added < of.count)
    for (std::int64_t j = 0; j < of.row_length; ++j) sums[j] += T{0};  // -0.0 becomes 0.0
}

template <class T>
void add_masked_rows(const MaskedRows& of, void* to) {
  T* const sums = static_cast<T*>(to);
  with_row_length(of.row_length, [&]<std::int64_t length>() { add_masked_rows<T, length>(of, sums); });
}

}  // namespace

AddMaskedRows find_add_masked_rows(protocol::Dtype dtype) {
  if (dtype == protocol::Dtype::float64) return add_masked_rows<double>;
  return dtype == protocol::Dtype::float32 ? add_masked_rows<float> : nullptr;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
