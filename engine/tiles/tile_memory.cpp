// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiles/tile_memory.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace gamelan::engine::tiles {

std::byte* TileMemory::take(std::int64_t bytes) {
  const std::int64_t grain = std::min(bytes, page);
  const auto place_from = [&](std::int64_t at) { return (at + grain / 2 - 1) / grain * grain + grain / 2; };
  next_ = place_from(next_);
  if (chunks_.empty() || next_ + bytes > chunk_bytes_) {
    chunk_bytes_ = std::max(bytes + page, 4 * page);
    auto* memory = static_cast<std::byte*>(
        ::operator new (static_cast<std::size_t>(chunk_bytes_), std::align_val_t{page}));
    std::memset(memory, 0, static_cast<std::size_t>(chunk_bytes_));
    chunks_.emplace_back(memory);
    next_ = place_from(0);
  }
  std::byte* tile = chunks_.back().get() + next_;
  next_ += bytes;
  return tile;
}

#ifdef __SSE2__
namespace {

constexpr std::int64_t width = sizeof(__m128i);

/// Copies less than a vector. An ordinary store here would miss the cache, and all streamed stores behind it
/// would wait for it.
void stream_part(const std::byte* from, std::byte* to, std::int64_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  constexpr std::int64_t word = sizeof(int);
  if (address % word != 0 || bytes % word != 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t at = 0; at < bytes; at += word) {
    int value;
    std::memcpy(&value, from + at, sizeof value);
    _mm_stream_si32(reinterpret_cast<int*>(to + at), value);
  }
}

}  // namespace
#endif

void stream(const std::byte* from, std::byte* to, std::int64_t bytes) {
#ifdef __SSE2__
  const auto head = std::min(bytes, static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) % width));
  const std::int64_t tail = (bytes - head) % width, end = bytes - tail;
  const auto copy = [&](std::int64_t at) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  };
  stream_part(from, to, head);
  stream_part(from + end, to + end, tail);
  // A load waits for an older store at the same offset of a page, and streamed stores take long. So copy in
  // the order in which loads do not meet them. Backwards, the processor does not see that the next piece
  // begins where this one ends: it is asked for.
  constexpr std::uintptr_t page_bytes = 4096;
  const auto ahead =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page_bytes;
  if (ahead == 0 || ahead >= page_bytes / 2) {
    for (std::int64_t at = head; at < end; at += width) copy(at);
    return;
  }
  constexpr std::int64_t line = 64;
  std::int64_t at = end;
  for (; at - line >= head; at -= line) {
    _mm_prefetch(reinterpret_cast<const char*>(from + bytes + (end - at)), _MM_HINT_T0);
    for (std::int64_t k = width; k <= line; k += width) copy(at - k);
  }
  while ((at -= width) >= head) copy(at);
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

void settle_streams() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace gamelan::engine::tiles
