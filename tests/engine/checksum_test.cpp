// SPDX-License-Identifier: BSD-3-Clause
// Our checksum is zlib's: of every length around what is folded at once, at every alignment, from any state,
// in parts as in one go. That of an array comes out of those of any boxes that make it up.
#include "engine/steps/files/checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

#include "engine/distribution/layout.hpp"
#include "engine/steps/files/box_sum.hpp"

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
  for (std::size_t size = 400; size < 5000; size += 41)
    EXPECT_EQ(checksum(7, all.first(size)), of_zlib(7, all.first(size))) << size;
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

/// The part of the box, whose elements are taken out of the array one by one, and come in pieces.
std::uint32_t part_of(const distribution::Box& box, const distribution::Shape& extents, std::int64_t item,
                      std::span<const std::byte> all, std::mt19937& numbers) {
  std::vector<std::byte> mine;
  const auto count = protocol::element_count(extents);
  for (std::int64_t element = 0; element < count; ++element) {
    bool is_inside = true;
    for (std::size_t k = extents.size(), rest = static_cast<std::size_t>(element); k-- > 0;) {
      const auto index = static_cast<std::int64_t>(rest % static_cast<std::size_t>(extents[k]));
      rest /= static_cast<std::size_t>(extents[k]);
      is_inside = is_inside && index >= box[k].first && index < box[k].last;
    }
    if (!is_inside) continue;
    const auto bytes = all.subspan(static_cast<std::size_t>(element * item), static_cast<std::size_t>(item));
    mine.insert(mine.end(), bytes.begin(), bytes.end());
  }
  BoxSum sum(box, extents, item);
  for (std::span<const std::byte> rest(mine); !rest.empty();) {
    const auto size = std::min<std::size_t>(rest.size(), 1 + numbers() % 700);
    sum.add(rest.first(size));
    rest = rest.subspan(size);
  }
  return sum.part();
}

TEST(Checksum, of_an_array_is_made_of_those_of_boxes_in_any_order) {
  std::mt19937 numbers(9);
  for (const distribution::Shape& extents :
       {distribution::Shape{1000}, {40, 50}, {1, 300}, {300, 1}, {7, 1, 33}, {6, 8, 10}, {3, 4, 5, 6}}) {
    for (const std::int64_t item : {1, 8, 16}) {
      const auto bytes = random_bytes(static_cast<std::size_t>(protocol::element_count(extents) * item));
      for (const int ranks : {1, 2, 3, 4, 6, 8}) {
        const auto layout = distribution::default_layout(extents, ranks);
        std::uint32_t sum = 0;
        for (int rank = ranks; rank-- > 0;)
          if (layout.takes_part(rank) && !distribution::is_empty(layout.box(rank)))
            sum ^= part_of(layout.box(rank), extents, item, bytes, numbers);
        EXPECT_EQ(sum, of_zlib(0, bytes)) << ranks << " ranks, " << extents.size() << " axes of " << item;
      }
    }
  }
}

TEST(Checksum, of_boxes_that_are_cut_along_all_axes) {
  std::mt19937 numbers(10);
  const distribution::Shape extents{5, 6, 7};
  const auto bytes = random_bytes(5 * 6 * 7 * 4);
  std::uint32_t sum = 0;
  const auto halves = [](std::int64_t extent, std::int64_t cut) {
    return std::vector<distribution::Interval>{{0, cut}, {cut, extent}};
  };
  for (const auto& a : halves(5, 2))
    for (const auto& b : halves(6, 1))
      for (const auto& c : halves(7, 4)) sum ^= part_of({a, b, c}, extents, 4, bytes, numbers);
  EXPECT_EQ(sum, of_zlib(0, bytes));
}

}  // namespace
}  // namespace gamelan::engine::steps
