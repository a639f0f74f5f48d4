// SPDX-License-Identifier: BSD-3-Clause
// The words of philox.hpp for many counters at once, at the instruction-set level that the including file is
// compiled for (GAMELAN_ISA, its name, is the namespace). Words are whole numbers, so they are the same at
// every level. For the engines' loops (engine/tiles/loops/random_loops.hpp) and the kernel's small arrays
// (kernel/random/random_words.cpp).
#pragma once
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace gamelan::protocol::philox::GAMELAN_ISA {

/// 64-bit lanes of which the lower halves count.
#if defined(__AVX512F__)
struct Lanes {
  static constexpr std::size_t count = 8;
  __m512i value;
  static Lanes all(std::uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
  static Lanes load(const std::uint64_t* from) { return {_mm512_loadu_si512(from)}; }
  void store(std::uint64_t* to) const { _mm512_storeu_si512(to, value); }
  Lanes operator*(Lanes y) const { return {_mm512_mul_epu32(value, y.value)}; }
  Lanes operator^(Lanes y) const { return {_mm512_xor_si512(value, y.value)}; }
  Lanes upper() const { return {_mm512_srli_epi64(value, 32)}; }
  Lanes with_upper(Lanes y) const {
    return {_mm512_or_si512(_mm512_and_si512(value, all(0xFFFFFFFF).value), _mm512_slli_epi64(y.value, 32))};
  }
};
#elif defined(__AVX2__)
struct Lanes {
  static constexpr std::size_t count = 4;
  __m256i value;
  static Lanes all(std::uint64_t x) { return {_mm256_set1_epi64x(static_cast<long long>(x))}; }
  static Lanes load(const std::uint64_t* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  void store(std::uint64_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  Lanes operator*(Lanes y) const { return {_mm256_mul_epu32(value, y.value)}; }
  Lanes operator^(Lanes y) const { return {_mm256_xor_si256(value, y.value)}; }
  Lanes upper() const { return {_mm256_srli_epi64(value, 32)}; }
  Lanes with_upper(Lanes y) const {
    return {_mm256_or_si256(_mm256_and_si256(value, all(0xFFFFFFFF).value), _mm256_slli_epi64(y.value, 32))};
  }
};
#else
struct Lanes {
  static constexpr std::size_t count = 1;
  std::uint64_t value;
  static Lanes all(std::uint64_t x) { return {x}; }
  static Lanes load(const std::uint64_t* from) { return {*from}; }
  void store(std::uint64_t* to) const { *to = value; }
  Lanes operator*(Lanes y) const { return {(value & 0xFFFFFFFF) * (y.value & 0xFFFFFFFF)}; }
  Lanes operator^(Lanes y) const { return {value ^ y.value}; }
  Lanes upper() const { return {value >> 32}; }
  Lanes with_upper(Lanes y) const { return {(value & 0xFFFFFFFF) | y.value << 32}; }
};
#endif

inline constexpr std::size_t random_chunk = 64;

/// philox::words of counters first, first + step, ...: `random_chunk` of them; `number` is the third word of
/// the counters (distribution_methods.hpp). Two vectors at a time, because each round waits for a product.
inline void random_words(std::uint64_t key, std::uint64_t first, std::uint64_t step, std::uint64_t* one,
                         std::uint64_t* two, std::uint32_t number = 0) {
  constexpr std::size_t abreast = 2;
  const Lanes multiplier_0 = Lanes::all(0xD2511F53), multiplier_1 = Lanes::all(0xCD9E8D57);
  std::uint64_t counters[random_chunk];
  for (std::size_t j = 0; j < random_chunk; ++j) counters[j] = first + j * step;
  for (std::size_t done = 0; done < random_chunk; done += abreast * Lanes::count) {
    Lanes c[abreast][4];
    for (std::size_t v = 0; v < abreast; ++v) {
      c[v][0] = Lanes::load(counters + done + v * Lanes::count);
      c[v][1] = c[v][0].upper();
      c[v][2] = Lanes::all(number);
      c[v][3] = Lanes::all(0);
    }
    auto key_0 = static_cast<std::uint32_t>(key), key_1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const Lanes k0 = Lanes::all(key_0), k1 = Lanes::all(key_1);
      for (std::size_t v = 0; v < abreast; ++v) {
        const Lanes product_0 = c[v][0] * multiplier_0, product_1 = c[v][2] * multiplier_1;
        // Upper halves of c[0] and c[2] are not cleared: multiplication does not look at them.
        c[v][0] = product_1.upper() ^ c[v][1] ^ k0;
        c[v][1] = product_1;
        c[v][2] = product_0.upper() ^ c[v][3] ^ k1;
        c[v][3] = product_0;
      }
      key_0 += 0x9E3779B9;
      key_1 += 0xBB67AE85;
    }
    for (std::size_t v = 0; v < abreast; ++v) {
      c[v][0].with_upper(c[v][1]).store(one + done + v * Lanes::count);
      c[v][2].with_upper(c[v][3]).store(two + done + v * Lanes::count);
    }
  }
}

}  // namespace gamelan::protocol::philox::GAMELAN_ISA
