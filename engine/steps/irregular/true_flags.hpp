// SPDX-License-Identifier: BSD-3-Clause
// What stands where flags are true, eight flags at a time and without a branch on a single one: they may be
// random.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gamelan::engine::steps {

constexpr std::int64_t flags_at_once = 8;

/// For every set of eight flags, as bits: how many of them are true, and which, these first.
struct TrueOfEight {
  std::array<std::uint8_t, flags_at_once> places{};
  std::uint8_t count = 0;
};
inline constexpr auto sets_of_eight = [] {
  std::array<TrueOfEight, 256> sets;
  for (std::size_t bits = 0; bits < sets.size(); ++bits)
    for (std::uint8_t k = 0; k < flags_at_once; ++k)
      if (bits >> k & 1) sets[bits].places[sets[bits].count++] = k;
  return sets;
}();

/// Bit k says whether byte k is not zero: a bool that another program wrote may be any byte.
inline std::size_t bits_of(std::uint64_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t low = 0x7f7f'7f7f'7f7f'7f7f, gather = 0x0102'0408'1020'4080;
  const auto highest = (((bytes & low) + low) | bytes) & ~low;
  return static_cast<std::size_t>((highest >> 7) * gather >> 56);
}

/// Appends element_at(i) for the true ones of `count` flags to a list of `length` elements, while there is
/// `room`. element_at may be asked for any i below `count`. Returns how long the list is then.
template <class Element, class ElementAt>
std::int64_t append_true(const unsigned char* flags, std::int64_t count, ElementAt element_at, Element* list,
                         std::int64_t length, std::int64_t room) {
  std::int64_t i = 0;
  for (; i + flags_at_once <= count && length + flags_at_once <= room; i += flags_at_once) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, flags + i, sizeof bytes);
    if (bytes == 0) continue;
    const auto& set = sets_of_eight[bits_of(bytes)];
    Element* end = list + length;
    for (std::size_t k = 0; k < flags_at_once; ++k) end[k] = element_at(i + set.places[k]);
    length += set.count;
  }
  for (; i < count && length < room; ++i) {
    list[length] = element_at(i);
    length += flags[i] != 0;
  }
  return length;
}

}  // namespace gamelan::engine::steps
