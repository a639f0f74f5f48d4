// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_spread.hpp"

#include <array>
#include <cstring>

namespace gamelan::engine::tiles {
namespace {

/// The number of copies is known to the compiler where there are few.
template <class T, std::int64_t known>
void spread_elements(const std::byte* from, std::int64_t stride, std::int64_t count, std::int64_t copies,
                     std::byte* to) {
  const std::int64_t times = known > 0 ? known : copies;
  for (std::int64_t i = 0; i < count; ++i, from += stride)
    for (std::int64_t j = 0; j < times; ++j, to += sizeof(T)) std::memcpy(to, from, sizeof(T));
}

/// Bytes are copied eight at a time; what is written too much is written again.
template <std::int64_t known>
void spread_bytes(const std::byte* from, std::int64_t stride, std::int64_t count, std::byte* to) {
  const auto* const end = to + count * known;
  for (; to + 8 <= end; from += stride, to += known) {
    const std::uint64_t word = 0x0101010101010101U * std::to_integer<std::uint64_t>(*from);
    std::memcpy(to, &word, 8);
  }
  for (; to < end; from += stride, to += known) std::memset(to, std::to_integer<int>(*from), known);
}

template <class T>
void spread_by_copies(const std::byte* from, std::int64_t stride, std::int64_t count, std::int64_t copies,
                      std::byte* to) {
  switch (copies) {
    case 2:
      return spread_elements<T, 2>(from, stride, count, copies, to);
    case 3:
      return spread_elements<T, 3>(from, stride, count, copies, to);
    case 4:
      return spread_elements<T, 4>(from, stride, count, copies, to);
    case 8:
      return spread_elements<T, 8>(from, stride, count, copies, to);
    default:
      return spread_elements<T, 0>(from, stride, count, copies, to);
  }
}

void spread_truths(const std::byte* from, std::int64_t stride, std::int64_t count, std::int64_t copies,
                   std::byte* to) {
  switch (copies) {
    case 2:
      return spread_bytes<2>(from, stride, count, to);
    case 3:
      return spread_bytes<3>(from, stride, count, to);
    case 4:
      return spread_bytes<4>(from, stride, count, to);
    case 5:
      return spread_bytes<5>(from, stride, count, to);
    case 6:
      return spread_bytes<6>(from, stride, count, to);
    case 7:
      return spread_bytes<7>(from, stride, count, to);
    case 8:
      return spread_bytes<8>(from, stride, count, to);
    default:
      return spread_elements<std::uint8_t, 0>(from, stride, count, copies, to);
  }
}

}  // namespace

void spread(const std::byte* from, std::int64_t stride, std::int64_t count, std::int64_t item_bytes,
            std::int64_t copies, std::byte* to) {
  switch (item_bytes) {
    case 1:
      return spread_truths(from, stride, count, copies, to);
    case 2:
      return spread_by_copies<std::uint16_t>(from, stride, count, copies, to);
    case 4:
      return spread_by_copies<std::uint32_t>(from, stride, count, copies, to);
    case 8:
      return spread_by_copies<std::uint64_t>(from, stride, count, copies, to);
    default:
      return spread_by_copies<std::array<std::uint64_t, 2>>(from, stride, count, copies, to);
  }
}

}  // namespace gamelan::engine::tiles
