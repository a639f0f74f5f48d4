// SPDX-License-Identifier: BSD-3-Clause
// Four lanes of 16 bytes are folded forward by 64 bytes at a time, then into one, then reduced by Barrett's
// method: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel,
// 2009), whose constants for this polynomial, bits reversed, these are. zlib computes what is left over, and
// everything on other processors.
#include "engine/steps/files/checksum.hpp"

#include <zlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace gamelan::engine::steps {
namespace {

#ifdef __x86_64__
#define GAMELAN_CLMUL __attribute__((target("pclmul,sse4.1")))

GAMELAN_CLMUL __m128i load(const std::byte* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

/// `lane`, moved forward in the message by the distance that `constants` stand for, and what stands there.
GAMELAN_CLMUL __m128i folded(__m128i lane, __m128i constants, __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(lane, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

/// The state (a checksum with its bits inverted) behind `size` bytes: a multiple of 16, at least 64.
GAMELAN_CLMUL std::uint32_t state_behind(std::uint32_t state, const std::byte* bytes, std::size_t size) {
  const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by_8 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i low_halves = _mm_setr_epi32(-1, 0, -1, 0);
  __m128i lanes[4];
  for (int k = 0; k < 4; ++k) lanes[k] = load(bytes + 16 * k);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  bytes += 64;
  size -= 64;
  for (; size >= 64; bytes += 64, size -= 64)
    for (int k = 0; k < 4; ++k) lanes[k] = folded(lanes[k], by_64, load(bytes + 16 * k));
  __m128i all = lanes[0];
  for (int k = 1; k < 4; ++k) all = folded(all, by_16, lanes[k]);
  for (; size >= 16; bytes += 16, size -= 16) all = folded(all, by_16, load(bytes));
  all = _mm_xor_si128(_mm_srli_si128(all, 8), _mm_clmulepi64_si128(all, by_16, 0x10));
  all =
      _mm_xor_si128(_mm_srli_si128(all, 4), _mm_clmulepi64_si128(_mm_and_si128(all, low_halves), by_8, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(all, low_halves), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_halves), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(all, quotient), 1));
}
#endif

}  // namespace

std::uint32_t checksum(std::uint32_t before, std::span<const std::byte> bytes) {
#ifdef __x86_64__
  static const bool can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (can_fold && bytes.size() >= 64) {
    const auto size = bytes.size() / 16 * 16;
    before = ~state_behind(~before, bytes.data(), size);
    bytes = bytes.subspan(size);
  }
#endif
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace gamelan::engine::steps
