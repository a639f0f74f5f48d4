// SPDX-License-Identifier: BSD-3-Clause
#include "engine/exec/tile_memory.hpp"

#include "engine/exec/tile.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace gamelan::engine::exec {

TileMemory make_tile(std::int64_t item_bytes) {
  // A little more than a multiple of 4 KiB, so that the same element of two tiles is not at the same page offset,
  // which processors take for a dependence between a store and a load.
  constexpr std::int64_t stagger = 192;
  const auto bytes = static_cast<std::size_t>(tile_elements * item_bytes + stagger);
  auto* memory = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}));
  std::memset(memory, 0, bytes);
  return TileMemory(memory);
}

void stream(const std::byte* from, std::byte* to, std::int64_t bytes) {
#ifdef __SSE2__
  constexpr std::int64_t width = sizeof(__m128i);
  const auto head = std::min(bytes, static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) % width));
  std::memcpy(to, from, static_cast<std::size_t>(head));
  std::int64_t at = head;
  for (; at + width <= bytes; at += width) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  std::memcpy(to + at, from + at, static_cast<std::size_t>(bytes - at));
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

void settle_streams() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace gamelan::engine::exec
