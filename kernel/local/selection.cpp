// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/local/selection.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gamelan::kernel {
namespace {

using Pair = std::array<std::uint64_t, 2>;

/// Calls what(T{}) for an unsigned type T of that size.
template <class What>
void with_item(std::size_t item_bytes, What what) {
  switch (item_bytes) {
    case 1:
      return what(std::uint8_t{});
    case 2:
      return what(std::uint16_t{});
    case 4:
      return what(std::uint32_t{});
    case 8:
      return what(std::uint64_t{});
    default:
      return what(Pair{});
  }
}

/// Without a branch, whatever the compiler thinks of it.
template <class T>
T either(bool is_first, T first, T second) {
  const T all = static_cast<T>(T{0} - static_cast<T>(is_first));
  return static_cast<T>((first & all) | (second & static_cast<T>(~all)));
}
Pair either(bool is_first, const Pair& first, const Pair& second) {
  return {either(is_first, first[0], second[0]), either(is_first, first[1], second[1])};
}

/// Calls visit(place) where the mask is true, in rising order. The places of a block are listed first,
/// because a branch at each element would be foreseen wrongly where true and false alternate at random.
template <class Visit>
void for_each_place(const std::uint8_t* mask, std::int64_t elements, Visit visit) {
  constexpr std::int64_t block = 64, word_bytes = 8;
  for (std::int64_t first = 0; first < elements; first += block) {
    const auto last = std::min(first + block, elements);
    std::array<std::int64_t, block + 1> places;  // the one behind the last is written, too
    std::size_t count = 0;
    for (auto i = first; i < last; i += word_bytes) {
      const auto end = std::min(i + word_bytes, last);
      std::uint64_t word = 1;
      if (end - i == word_bytes) std::memcpy(&word, mask + i, word_bytes);
      if (word == 0) continue;
      for (auto k = i; k < end; ++k) {
        places[count] = k;
        count += mask[k] != 0;
      }
    }
    for (std::size_t k = 0; k < count; ++k) visit(places[k]);
  }
}

template <class T, bool yes_is_single, bool no_is_single>
void choose_from(const std::uint8_t* mask, const T* yes, const T* no, T* to, std::int64_t elements) {
  for (std::int64_t i = 0; i < elements; ++i) {
    const T if_true = yes[yes_is_single ? 0 : i], if_false = no[no_is_single ? 0 : i];
    to[i] = either(mask[i] != 0, if_true, if_false);
  }
}

}  // namespace

bool is_known_item(std::size_t item_bytes) {
  return item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8 || item_bytes == 16;
}

std::int64_t count_true(const std::uint8_t* mask, std::int64_t elements) {
  constexpr std::int64_t word_bytes = 8, most_words = 255;  // that are added up in bytes
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101, even = 0x00ff00ff00ff00ff;
  std::int64_t count = 0, i = 0;
  while (i + word_bytes <= elements) {
    const auto words = std::min((elements - i) / word_bytes, most_words);
    std::uint64_t sums = 0;
    for (std::int64_t k = 0; k < words; ++k, i += word_bytes) {
      std::uint64_t word;
      std::memcpy(&word, mask + i, word_bytes);
      sums += ((((word & low) + low) | word) >> 7) & ones;  // 1 for each byte but 0
    }
    const std::uint64_t pairs = (sums & even) + ((sums >> 8) & even);
    count += static_cast<std::int64_t>((pairs * 0x0001000100010001) >> 48);
  }
  for (; i < elements; ++i) count += mask[i] != 0;
  return count;
}

void compress(std::size_t item_bytes, const void* from, const std::uint8_t* mask, std::int64_t elements,
              void* to, std::int64_t picked) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T* const source = static_cast<const T*>(from);
    T *out = static_cast<T*>(to), *const end = out + picked;
    for_each_place(mask, elements, [&](std::int64_t place) {
      if (out != end) *out++ = source[place];
    });
  });
}

void expand(std::size_t item_bytes, const void* values, std::int64_t picked, const std::uint8_t* mask,
            std::int64_t elements, void* to) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T *value = static_cast<const T*>(values), *const end = value + picked;
    T* const out = static_cast<T*>(to);
    for_each_place(mask, elements, [&](std::int64_t place) {
      if (value != end) out[place] = *value++;
    });
  });
}

void fill(std::size_t item_bytes, const void* value, const std::uint8_t* mask, std::int64_t elements,
          void* to) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T one = *static_cast<const T*>(value);
    T* const out = static_cast<T*>(to);
    for_each_place(mask, elements, [&](std::int64_t place) { out[place] = one; });
  });
}

void choose(std::size_t item_bytes, const std::uint8_t* mask, Choice yes, Choice no, void* to,
            std::int64_t elements) {
  with_item(item_bytes, [&](auto item) {
    using T = decltype(item);
    const T *first_yes = static_cast<const T*>(yes.first), *first_no = static_cast<const T*>(no.first);
    T* const out = static_cast<T*>(to);
    if (yes.is_single && no.is_single)
      choose_from<T, true, true>(mask, first_yes, first_no, out, elements);
    else if (yes.is_single)
      choose_from<T, true, false>(mask, first_yes, first_no, out, elements);
    else if (no.is_single)
      choose_from<T, false, true>(mask, first_yes, first_no, out, elements);
    else
      choose_from<T, false, false>(mask, first_yes, first_no, out, elements);
  });
}

}  // namespace gamelan::kernel
