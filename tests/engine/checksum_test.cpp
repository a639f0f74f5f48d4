// SPDX-License-Identifier: BSD-3-Clause
// Our checksum is zlib's: of every length around what is folded at once, at every alignment, from any state,
// in parts as in one go.
#include "engine/steps/files/checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

namespace gamelan::engine::steps {
namespace {

std::uint32_t of_zlib(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 numbers(7);
  std::vector<std::byte> bytes(count);
  for (auto& each : bytes) each = static_cast<std::byte>(numbers());
  return bytes;
}

TEST(Checksum, is_that_of_zlib) {
  const auto bytes = random_bytes(5000);
  const std::span<const std::byte> all(bytes);
  for (std::size_t size = 0; size < 400; ++size)
    for (std::size_t first = 0; first < 17; ++first)
      for (const std::uint32_t before : {0U, 1U, 0xffffffffU, 0x8badf00dU})
        ASSERT_EQ(checksum(before, all.subspan(first, size)), of_zlib(before, all.subspan(first, size)))
            << size << " bytes from " << first;
  EXPECT_EQ(checksum(0, all), of_zlib(0, all));
}

TEST(Checksum, goes_on_from_part_to_part) {
  const auto bytes = random_bytes(100'003);
  std::span<const std::byte> rest(bytes);
  std::mt19937 numbers(8);
  std::uint32_t sum = 0;
  while (!rest.empty()) {
    const auto size = std::min<std::size_t>(rest.size(), numbers() % 3000);
    sum = checksum(sum, rest.first(size));
    rest = rest.subspan(size);
  }
  EXPECT_EQ(sum, of_zlib(0, bytes));
}

TEST(Checksum, of_zeros) {
  for (const std::size_t size : {16U, 64U, 80U, 4096U}) {
    const std::vector<std::byte> zeros(size);
    EXPECT_EQ(checksum(0, zeros), of_zlib(0, zeros)) << size;
  }
}

}  // namespace
}  // namespace gamelan::engine::steps
