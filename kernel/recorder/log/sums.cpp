// SPDX-License-Identifier: BSD-3-Clause
// Appending n bytes to a message multiplies its sum by x^(8n) in the polynomials over two elements, modulo
// that of the CRC. Bits are reversed: the highest power is the lowest bit.
#include "kernel/recorder/log/sums.hpp"

#include <cstring>

namespace gamelan::kernel {
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320, one = std::uint32_t{1} << 31;

std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  for (int bit = 31; bit >= 0; --bit) {  // of a, from the constant on
    if ((a >> bit & 1) != 0) result ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? polynomial : 0);
  }
  return result;
}

/// x to this power.
std::uint32_t power(std::uint64_t exponent) {
  std::uint32_t result = one, square = one >> 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

}  // namespace

std::uint32_t combined_sum(std::span<const std::byte> receipts) {
  std::uint32_t sum = 0;
  for (std::size_t place = 0; place + 16 <= receipts.size(); place += 16) {
    std::uint64_t piece[2];
    std::memcpy(piece, receipts.data() + place, sizeof piece);
    sum = product(power(8 * piece[1]), sum) ^ static_cast<std::uint32_t>(piece[0]);
  }
  return sum;
}

}  // namespace gamelan::kernel
