// SPDX-License-Identifier: BSD-3-Clause
// Many searches in one sorted row by halving it. Pure arithmetic; for run_search.cpp and line_table.hpp,
// where a table of intervals is not worth it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gamelan::engine::steps {

/// Searches that take turns: each waits for the key that it compares.
inline constexpr std::size_t abreast = 16;

/// How many keys of the sorted row come before each of some keys. All searches halve the same lengths. There
/// is no branch, because the processor cannot predict the outcome; a choice written with ?: becomes one.
template <class Key, class IsBefore>
void count_before(const Key* first, std::int64_t length, const Key* keys, std::size_t count,
                  std::int64_t* out, IsBefore is_before) {
  const Key* at[abreast];
  std::fill_n(at, abreast, first);
  while (length > 1) {
    const auto half = length / 2;
    for (std::size_t k = 0; k < count; ++k)
      at[k] += half & -static_cast<std::int64_t>(is_before(at[k][half - 1], keys[k]));
    length -= half;
  }
  for (std::size_t k = 0; k < count; ++k)
    out[k] = (at[k] - first) + (length == 1 && is_before(*at[k], keys[k]));
}

template <class Key>
void search_all(const std::vector<Key>& table, const Key* keys, std::int64_t count, bool goes_after_equal,
                std::int64_t* out) {
  const auto length = static_cast<std::int64_t>(table.size());
  const auto search_some = [&](auto is_before) {
    std::int64_t i = 0;
    for (; i + static_cast<std::int64_t>(abreast) <= count; i += abreast)
      count_before(table.data(), length, keys + i, abreast, out + i, is_before);
    count_before(table.data(), length, keys + i, static_cast<std::size_t>(count - i), out + i, is_before);
  };
  if (goes_after_equal)
    search_some([](const Key& x, const Key& y) { return !(y < x); });
  else
    search_some([](const Key& x, const Key& y) { return x < y; });
}

}  // namespace gamelan::engine::steps
