// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/loops/copy_bytes.hpp"

#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gamelan::engine::tiles {

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t page = 4096, least_bytes = 2048, slow_up_to = 64;
  constexpr std::size_t width = sizeof(__m128i), together = 4 * width;
  const auto ahead = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page;
  if (bytes >= least_bytes && ahead != 0 && ahead < slow_up_to) {
    const auto load = [&](std::size_t at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
    };
    const auto store = [&](std::size_t at, __m128i value) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), value);
    };
    const std::size_t end = bytes - bytes % together;
    for (std::size_t at = 0; at < end; at += together) {
      // All loads come before the stores: a load waits for an older store at the same place of another page.
      const auto a = load(at), b = load(at + width), c = load(at + 2 * width), d = load(at + 3 * width);
      store(at, a);
      store(at + width, b);
      store(at + 2 * width, c);
      store(at + 3 * width, d);
    }
    to += end, from += end, bytes -= end;
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace gamelan::engine::tiles
