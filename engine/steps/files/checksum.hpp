// SPDX-License-Identifier: BSD-3-Clause
// The checksum of zip archives (CRC-32, reflected polynomial 0xEDB88320), eight bytes at a time (the tables
// of Kounavis and Berry, 2005).
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace gamelan::engine::exec {

namespace checksum_detail {
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t word = byte;
    for (int bit = 0; bit < 8; ++bit) word = word & 1 ? word >> 1 ^ 0xEDB88320U : word >> 1;
    tables[0][byte] = word;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 255];
  return tables;
}
inline constexpr Tables tables = make_tables();
}  // namespace checksum_detail

/// The checksum of what came before (0 at first) and these bytes.
inline std::uint32_t checksum(std::uint32_t before, std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little);
  const auto& t = checksum_detail::tables;
  std::uint32_t sum = ~before;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, bytes.data() + at, 4);
    std::memcpy(&high, bytes.data() + at + 4, 4);
    low ^= sum;
    sum = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^
          t[3][high & 255] ^ t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
  }
  for (; at < bytes.size(); ++at) sum = sum >> 8 ^ t[0][(sum ^ static_cast<std::uint32_t>(bytes[at])) & 255];
  return ~sum;
}

}  // namespace gamelan::engine::exec
