// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace gamelan::kernel {
namespace {

template <class What>
auto with_number(Number kind, What what) {
  switch (kind) {
    case Number::int32:
      return what(std::int32_t{});
    case Number::int64:
      return what(std::int64_t{});
    case Number::uint32:
      return what(std::uint32_t{});
    case Number::uint64:
      return what(std::uint64_t{});
    case Number::float32:
      return what(float{});
    case Number::float64:
      break;
  }
  return what(double{});
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// An unsigned number that is ordered as `number` is; a NaN without a sign is above all others.
template <class T>
Bits<T> key_of(T number) {
  constexpr Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
  const auto bits = std::bit_cast<Bits<T>>(number);
  if constexpr (std::floating_point<T>)
    return bits ^ ((bits & sign) != 0 ? ~Bits<T>{0} : sign);
  else
    return std::is_signed_v<T> ? bits ^ sign : bits;
}

template <class T>
T number_of(Bits<T> key) {
  constexpr Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
  if constexpr (std::floating_point<T>)
    return std::bit_cast<T>(key ^ ((key & sign) != 0 ? sign : ~Bits<T>{0}));
  else
    return std::bit_cast<T>(std::is_signed_v<T> ? key ^ sign : key);
}

constexpr int digit_bits = 8;  // a pass writes to 256 places, which a first-level cache holds
constexpr std::size_t digits = std::size_t{1} << digit_bits;

/// By the digits in which `differing`, the union of all differences, has a bit.
template <class Key>
void sort_keys(Key* keys, Key* other, std::int64_t count, Key differing) {
  const int first = std::countr_zero(differing) / digit_bits,
            last = static_cast<int>(std::bit_width(differing) + digit_bits - 1) / digit_bits;
  const auto digit = [](Key key, int pass) { return (key >> (pass * digit_bits)) & (digits - 1); };
  std::array<std::array<std::uint32_t, digits>, sizeof(Key)> counts{};
  for (std::int64_t i = 0; i < count; ++i)
    for (int pass = first; pass < last; ++pass)
      ++counts[static_cast<std::size_t>(pass)][digit(keys[i], pass)];
  Key *from = keys, *to = other;
  for (int pass = first; pass < last; ++pass) {
    if (digit(differing, pass) == 0) continue;
    auto& places = counts[static_cast<std::size_t>(pass)];
    std::uint32_t place = 0;
    for (auto& each : places) place += std::exchange(each, place);
    for (std::int64_t i = 0; i < count; ++i) to[places[digit(from[i], pass)]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy_n(from, count, keys);
}

/// NumPy's order: NaNs are equal to each other and above all others.
template <class T>
bool is_less(T left, T right) {
  if constexpr (std::floating_point<T>)
    return (left < right) | ((right != right) & (left == left));  // without a branch
  else
    return left < right;
}

template <class T, bool is_behind_equals>
void search(const T* edges, std::int64_t edge_count, const T* values, std::int64_t count,
            std::int64_t* places) {
  constexpr std::int64_t together = 8;  // searches that wait for memory at the same time
  const auto is_before = [](T edge, T value) {
    return is_behind_equals ? !is_less(value, edge) : is_less(edge, value);
  };
  for (std::int64_t first = 0; first < count; first += together) {
    const auto lanes = std::min(together, count - first);
    std::int64_t found[together] = {};
    for (auto left = edge_count; left > 1;) {
      const auto half = left / 2;
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        found[lane] += half & -std::int64_t{is_before(edges[found[lane] + half - 1], values[first + lane])};
      left -= half;
    }
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      places[first + lane] =
          found[lane] + (edge_count > 0 && is_before(edges[found[lane]], values[first + lane]) ? 1 : 0);
  }
}

}  // namespace

void sort_numbers(Number kind, void* numbers, std::int64_t count) {
  if (count < 2) return;
  with_number(kind, [&](auto number) {
    using T = decltype(number);
    using Key = Bits<T>;
    const auto size = static_cast<std::size_t>(count);
    const auto memory = std::make_unique_for_overwrite<Key[]>(2 * size);
    T* const values = static_cast<T*>(numbers);
    Key differing = 0;
    for (std::size_t i = 0; i < size; ++i) {
      memory[i] = key_of(values[i]);
      differing |= memory[i] ^ memory[0];
    }
    if (differing != 0) sort_keys(memory.get(), memory.get() + size, count, differing);
    std::transform(memory.get(), memory.get() + size, values, number_of<T>);
  });
}

std::int64_t drop_repeated(Number kind, void* sorted, std::int64_t count) {
  return with_number(kind, [&](auto number) {
    using T = decltype(number);
    T* const first = static_cast<T*>(sorted);
    return std::int64_t{std::unique(first, first + count) - first};
  });
}

void search_sorted(Number kind, const void* edges, std::int64_t edge_count, const void* values,
                   std::int64_t count, bool is_behind_equals, std::int64_t* places) {
  with_number(kind, [&](auto number) {
    using T = decltype(number);
    const auto run = is_behind_equals ? search<T, true> : search<T, false>;
    run(static_cast<const T*>(edges), edge_count, static_cast<const T*>(values), count, places);
  });
}

bool is_ascending(Number kind, const void* numbers, std::int64_t count) {
  return with_number(kind, [&](auto number) {
    using T = decltype(number);
    const T* const first = static_cast<const T*>(numbers);
    bool is_so = count == 0 || first[count - 1] == first[count - 1];
    for (std::int64_t i = 1; i < count; ++i) is_so &= first[i - 1] <= first[i];
    return is_so;
  });
}

bool has_equals_that_differ(Number kind, const void* numbers, std::int64_t count) {
  return with_number(kind, [&](auto number) {
    using T = decltype(number);
    bool has_one = false;
    if constexpr (std::floating_point<T>) {
      constexpr auto sign = std::bit_cast<Bits<T>>(T{-0.0}),
                     infinity = std::bit_cast<Bits<T>>(std::numeric_limits<T>::infinity()),
                     usual = std::bit_cast<Bits<T>>(std::numeric_limits<T>::quiet_NaN());
      const T* const first = static_cast<const T*>(numbers);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<Bits<T>>(first[i]);
        has_one |= (bits == sign) | (((bits & ~sign) > infinity) & (bits != usual));
      }
    }
    return has_one;
  });
}

bool has_nan(Number kind, const void* numbers, std::int64_t count) {
  return with_number(kind, [&](auto number) {
    using T = decltype(number);
    const T* const first = static_cast<const T*>(numbers);
    bool has_one = false;
    for (std::int64_t i = 0; i < count; ++i) has_one |= first[i] != first[i];
    return has_one;
  });
}

}  // namespace gamelan::kernel
