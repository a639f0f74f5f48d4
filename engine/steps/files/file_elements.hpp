// SPDX-License-Identifier: BSD-3-Clause
// Elements as files have them: in either byte order, and with bools that may be any nonzero byte.
#pragma once
#include <cstring>

#include "protocol/dtype.hpp"

namespace gamelan::engine::steps {

template <class Word>
void swap_words(std::byte* bytes, std::int64_t count) {
  constexpr std::int64_t size = sizeof(Word);
  for (std::int64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, bytes + i * size, size);
    if constexpr (size == 2) word = __builtin_bswap16(word);
    if constexpr (size == 4) word = __builtin_bswap32(word);
    if constexpr (size == 8) word = __builtin_bswap64(word);
    std::memcpy(bytes + i * size, &word, size);
  }
}

/// Converts elements read from a file in place: bytes to native order, bools to 0 or 1.
inline void adopt(protocol::Dtype dtype, bool is_swapped, std::byte* bytes, std::int64_t count) {
  if (dtype == protocol::Dtype::bool_) {
    for (std::int64_t i = 0; i < count; ++i)
      bytes[i] = bytes[i] == std::byte{0} ? std::byte{0} : std::byte{1};
    return;
  }
  if (!is_swapped) return;
  const bool is_complex = protocol::info(dtype).kind == 'c';
  const auto part = protocol::size_of(dtype) / (is_complex ? 2 : 1);
  if (is_complex) count *= 2;
  if (part == 2) swap_words<std::uint16_t>(bytes, count);
  if (part == 4) swap_words<std::uint32_t>(bytes, count);
  if (part == 8) swap_words<std::uint64_t>(bytes, count);
}

}  // namespace gamelan::engine::steps
