// SPDX-License-Identifier: BSD-3-Clause
// Sums of rows by group (masked_rows.hpp), built once per instruction-set level: `labels == k` for several k.
// The masks become the number of the group of each row. Then each row is added to the sums of its group; rows
// of no group are added to sums that nobody reads.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/tiles/loops/masked_rows.hpp"

namespace gamelan::engine::tiles::GAMELAN_ISA {
namespace {

constexpr std::int64_t bytes_ahead = 8192;  // asked for: the processor's own stops at the end of a page
constexpr std::int64_t together = 1024;     // rows whose numbers are in a first-level cache

/// Writes the number of each row's group, from 1 on; 0 for none. False where two masks name a row.
bool number_rows(const GroupedRows& of, std::int64_t first, std::int64_t count, std::uint8_t* numbers) {
  std::fill_n(numbers, count, std::uint8_t{0});
  std::uint8_t conflicts = 0;
  for (std::size_t g = 0; g < of.groups; ++g) {
    const auto* const mask = reinterpret_cast<const std::uint8_t*>(of.masks[g] + first);
    const auto number = static_cast<std::uint8_t>(g + 1);
    for (std::int64_t row = 0; row < count; ++row) {
      const auto named = static_cast<std::uint8_t>(mask[row] != 0 ? 0xff : 0);
      conflicts = static_cast<std::uint8_t>(conflicts | (numbers[row] & named));
      numbers[row] = static_cast<std::uint8_t>(numbers[row] | (number & named));
    }
  }
  return conflicts == 0;
}

/// Adds a row to the sums of its group. Of a power of two the compiler makes vectors only when told to: for
/// all it knows, `sums` lie among the rows.
template <class T, std::int64_t known_length>
[[gnu::always_inline]] inline void add_row(T* sums, const std::byte* row, std::int64_t length) {
  if constexpr (known_length == 2 || known_length == 4 || known_length == 8) {
    typedef T Row __attribute__((vector_size(known_length * sizeof(T)), aligned(sizeof(T)), may_alias));
    *reinterpret_cast<Row*>(sums) += *reinterpret_cast<const Row*>(row);
  } else {
    const T* const from = reinterpret_cast<const T*>(row);
    for (std::int64_t j = 0; j < length; ++j) sums[j] += from[j];
  }
}

/// `known_length`: of the rows; 0 for any other than those that are known.
template <class T, std::int64_t known_length>
bool add_grouped_rows(const GroupedRows& of, void* const* sums) {
  constexpr std::int64_t space = known_length > 0 ? known_length : longest_grouped_row;
  const std::int64_t length = known_length > 0 ? known_length : of.row_length;
  // The first addition to -0.0 gives what is added.
  alignas(64) T sum[(most_row_groups + 1) * space];
  std::fill_n(sum, (of.groups + 1) * static_cast<std::size_t>(space), -T{0});
  const auto ahead = bytes_ahead / std::max<std::int64_t>(std::abs(of.row_pitch), 1) * of.row_pitch;
  std::uint8_t numbers[together];
  std::int64_t added[most_row_groups + 1] = {};
  for (std::int64_t first = 0; first < of.count; first += together) {
    const auto count = std::min(together, of.count - first);
    if (!number_rows(of, first, count, numbers)) return false;
    const std::byte* row = of.rows + first * of.row_pitch;
    for (std::int64_t k = 0; k < count; ++k, row += of.row_pitch) {
      __builtin_prefetch(row + ahead);
      ++added[numbers[k]];
      add_row<T, known_length>(sum + numbers[k] * space, row, length);
    }
  }
  for (std::size_t g = 0; g < of.groups; ++g) {
    T* const found = sum + (g + 1) * static_cast<std::size_t>(space);
    if (added[g + 1] < of.count)
      for (std::int64_t j = 0; j < length; ++j) found[j] += T{0};  // -0.0 becomes 0.0
    std::memcpy(sums[g], found, static_cast<std::size_t>(length) * sizeof(T));
  }
  return true;
}

template <class T>
bool add_grouped_rows(const GroupedRows& of, void* const* sums) {
  return with_row_length(of.row_length,
                         [&]<std::int64_t length>() { return add_grouped_rows<T, length>(of, sums); });
}

}  // namespace

AddGroupedRows find_add_grouped_rows(protocol::Dtype dtype) {
  if (dtype == protocol::Dtype::float64) return add_grouped_rows<double>;
  return dtype == protocol::Dtype::float32 ? add_grouped_rows<float> : nullptr;
}

}  // namespace gamelan::engine::tiles::GAMELAN_ISA
