// SPDX-License-Identifier: BSD-3-Clause
// The allocator against a byte map that knows everything: random requests, seed printed.
#include "engine/distribution/allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/assert.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::distribution {
namespace {

constexpr std::size_t kilobyte = 1024, megabyte = 1024 * kilobyte;

TEST(Ranges, assign_merges_equal_neighbours_and_replaces_overlaps) {
  Ranges ranges;
  ranges.assign({10, 20, 1});
  ranges.assign({20, 30, 1});
  EXPECT_EQ(ranges.count(), 1u);
  ranges.assign({15, 25, 2});
  EXPECT_EQ(ranges.within(0, 100), (std::vector<Range>{{10, 15, 1}, {15, 25, 2}, {25, 30, 1}}));
  ranges.erase(12, 27);
  EXPECT_EQ(ranges.within(11, 28), (std::vector<Range>{{11, 12, 1}, {27, 28, 1}}));
  EXPECT_EQ(ranges.missing(0, 40), (std::vector<Range>{{0, 10, 0}, {12, 27, 0}, {30, 40, 0}}));
  ranges.erase_values_up_to(1);
  EXPECT_EQ(ranges.count(), 0u);
}

TEST(Ranges, equals_a_plain_array_on_random_operations) {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  Ranges ranges;
  std::vector<std::uint64_t> plain(200, 0);  // 0 = absent
  for (int round = 0; round < 20'000; ++round) {
    std::size_t first = random() % 200, last = random() % 201;
    if (first > last) std::swap(first, last);
    const std::uint64_t value = random() % 4;
    if (value == 0)
      ranges.erase(first, last);
    else
      ranges.assign({first, last, value});
    std::fill(plain.begin() + static_cast<long>(first), plain.begin() + static_cast<long>(last), value);
    std::vector<std::uint64_t> seen(200, 0);
    for (const Range& range : ranges.within(0, 200)) {
      std::fill(seen.begin() + static_cast<long>(range.first), seen.begin() + static_cast<long>(range.last),
                range.value);
    }
    ASSERT_EQ(seen, plain) << "seed " << seed << " round " << round;
    std::size_t changes = plain[0] != 0;
    for (std::size_t i = 1; i < 200; ++i) changes += plain[i] != 0 && plain[i] != plain[i - 1];
    ASSERT_EQ(ranges.count(), changes) << "neighbours of equal value are one";
  }
}

TEST(Allocator, class_sizes) {
  EXPECT_EQ(Allocator::class_bytes(0), 64u);
  EXPECT_EQ(Allocator::class_bytes(65), 128u);
  EXPECT_EQ(Allocator::class_bytes(1000), 1024u);
  EXPECT_EQ(Allocator::class_bytes(1025), 1152u);
  EXPECT_EQ(Allocator::class_bytes(4096), 4096u);
  EXPECT_EQ(Allocator::class_bytes(32 * kilobyte + 1), 36 * kilobyte);
  EXPECT_EQ(Allocator::class_bytes(256 * kilobyte), 256 * kilobyte);
  EXPECT_EQ(Allocator::class_bytes(256 * kilobyte + 1), 260 * kilobyte);
  EXPECT_EQ(Allocator::class_bytes(512 * kilobyte + 1), 520 * kilobyte);
  for (std::size_t bytes = 1; bytes < 10 * megabyte; bytes += 1 + bytes / 50) {
    const std::size_t rounded = Allocator::class_bytes(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, std::max<std::size_t>(bytes + 64, bytes + bytes / 8 + 1));
    EXPECT_EQ(Allocator::class_bytes(rounded), rounded);
    EXPECT_EQ(rounded % (rounded >= 32 * kilobyte ? page_bytes : granule_bytes), 0u);
  }
}

TEST(Allocator, a_loop_recycles_its_temporaries) {
  Allocator allocator(64 * megabyte);
  auto current = allocator.allocate(megabyte).value();
  auto next = allocator.allocate(megabyte).value();
  allocator.release(current);
  for (int sweep = 0; sweep < 100; ++sweep) {
    const auto work = allocator.allocate(megabyte - 5).value();
    EXPECT_EQ(work.offset, current.offset);
    current = std::exchange(next, work);
    allocator.release(current);
  }
  EXPECT_EQ(allocator.peak(), 2 * megabyte);
  std::size_t cold = 0;
  for (const auto& pages : allocator.take_uncommitted()) cold += pages.bytes;
  EXPECT_EQ(cold, 2 * megabyte);
}

TEST(Allocator, fragments_join_before_it_gives_up) {
  Allocator allocator(megabyte);
  std::vector<Allocator::Block> blocks;
  while (const auto block = allocator.allocate(64)) blocks.push_back(*block);
  EXPECT_EQ(blocks.size(), megabyte / 64);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(3));
  for (const auto& block : blocks) allocator.release(block);
  EXPECT_EQ(allocator.allocate(megabyte).value(), (Allocator::Block{0, megabyte, 0}));
}

TEST(Allocator, the_exact_size_is_tried_when_the_class_does_not_fit) {
  Allocator allocator(megabyte + 4 * page_bytes);
  const std::size_t bytes = megabyte + 3 * page_bytes + 1;  // its class is 1152 KB
  EXPECT_EQ(allocator.allocate(bytes).value().bytes, megabyte + 4 * page_bytes);
  EXPECT_FALSE(allocator.allocate(1));
}

TEST(Allocator, small_blocks_that_live_long_do_not_split_the_room_of_large_ones) {
  Allocator allocator(16 * megabyte);
  for (int k = 0; k < 8; ++k) {
    const auto large = allocator.allocate(megabyte).value();
    ASSERT_TRUE(allocator.allocate(100));
    allocator.release(large);
  }
  EXPECT_TRUE(allocator.allocate(15 * megabyte));
}

TEST(Allocator, impossible_sizes) {
  Allocator allocator(megabyte + 100);  // rounded down to pages
  EXPECT_EQ(allocator.capacity(), megabyte);
  EXPECT_FALSE(allocator.allocate(megabyte + 1));
  EXPECT_FALSE(allocator.allocate(~std::size_t{0}));
  EXPECT_TRUE(allocator.allocate(megabyte));
  EXPECT_FALSE(Allocator(0).allocate(0));
}

TEST(Allocator, a_second_release_is_our_bug) {
  if constexpr (assert_level == AssertLevel::none) GTEST_SKIP() << "built without assertions";
  Allocator allocator(megabyte);
  const auto block = allocator.allocate(100).value();
  allocator.release(block);
  EXPECT_THROW(allocator.release(block), protocol::Error);
  EXPECT_THROW(allocator.release({megabyte - 64, 128, 0}), protocol::Error);
}

TEST(Allocator, a_copy_is_a_dry_run) {
  Allocator allocator(megabyte);
  ASSERT_TRUE(allocator.allocate(1000));
  Allocator trial = allocator;
  const auto tried = trial.allocate(100 * kilobyte);
  EXPECT_EQ(allocator.in_use(), 1024u);
  EXPECT_EQ(allocator.allocate(100 * kilobyte), tried);
}

TEST(Allocator, stamps_are_those_of_the_bytes_that_are_reused) {
  Allocator allocator(megabyte);
  auto first = allocator.allocate(64 * kilobyte).value(), second = allocator.allocate(64 * kilobyte).value();
  first.stamp = 5;
  second.stamp = 9;
  allocator.release(first);
  allocator.release(second);
  EXPECT_EQ(allocator.allocate(64 * kilobyte).value().stamp, 5u) << "not the neighbour's";
  const auto rest = allocator.allocate(96 * kilobyte).value();
  EXPECT_EQ(rest.stamp, 9u);
  allocator.release({rest.offset, rest.bytes, 11});
  allocator.settle(10);
  EXPECT_EQ(Allocator(allocator).allocate(kilobyte * 96).value().stamp, 11u);
  allocator.settle(11);
  EXPECT_EQ(allocator.allocate(kilobyte * 96).value().stamp, 0u);
}

/// Remembers for every granule who has it and its stamp, and for every page whether it was committed.
struct ByteMap {
  explicit ByteMap(std::size_t capacity)
      : is_used(capacity / 64), stamp(capacity / 64), is_committed(capacity / page_bytes) {}
  std::vector<char> is_used;
  std::vector<std::uint64_t> stamp;
  std::vector<char> is_committed;

  bool has_room(std::size_t bytes) const {
    const std::size_t align = bytes >= 32 * kilobyte ? page_bytes / 64 : 1,
                      count = round_up(std::max<std::size_t>(bytes, 64), align * 64) / 64;
    for (std::size_t first = 0; first + count <= is_used.size(); first += align) {
      if (std::find(is_used.begin() + static_cast<long>(first),
                    is_used.begin() + static_cast<long>(first + count),
                    1) == is_used.begin() + static_cast<long>(first + count)) {
        return true;
      }
    }
    return false;
  }
};

TEST(Allocator, equals_a_byte_map_on_random_requests) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t capacity = megabyte * (1 + seed % 3);
    Allocator allocator(capacity);
    ByteMap map(capacity);
    std::vector<Allocator::Block> live;
    std::size_t in_use = 0, refused = 0;
    for (int round = 0; round < 4000; ++round) {
      if (random() % 100 < (round / 500 % 2 ? 40u : 60u)) {
        const std::size_t bytes = random() % (random() % 4 ? 3000 : 200'000);
        const auto block = allocator.allocate(bytes);
        if (!block) {
          ++refused;
          ASSERT_FALSE(map.has_room(bytes)) << "gave up although there was room for " << bytes;
          continue;
        }
        ASSERT_GE(block->bytes, bytes);
        ASSERT_LE(block->offset + block->bytes, capacity);
        ASSERT_EQ(block->offset % (bytes >= 32 * kilobyte ? page_bytes : 64), 0u);
        std::uint64_t stamp = 0;
        for (std::size_t granule = block->offset / 64; granule < (block->offset + block->bytes) / 64;
             ++granule) {
          ASSERT_FALSE(map.is_used[granule]) << "handed out twice";
          map.is_used[granule] = 1;
          stamp = std::max(stamp, std::exchange(map.stamp[granule], 0));
        }
        ASSERT_EQ(block->stamp, stamp);
        std::vector<char> expected(map.is_committed.size()), got(map.is_committed.size());
        for (std::size_t page = block->offset / page_bytes;
             page <= (block->offset + block->bytes - 1) / page_bytes; ++page) {
          expected[page] = !std::exchange(map.is_committed[page], 1);
        }
        for (const auto& cold : allocator.take_uncommitted()) {
          ASSERT_TRUE(cold.offset % page_bytes == 0 && cold.bytes % page_bytes == 0);
          for (std::size_t page = cold.offset / page_bytes; page < (cold.offset + cold.bytes) / page_bytes;
               ++page)
            got[page] = 1;
        }
        ASSERT_EQ(got, expected);
        live.push_back(*block);
        in_use += block->bytes;
      } else if (!live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        Allocator::Block block = live.back();
        live.pop_back();
        block.stamp = random() % 3 ? static_cast<std::uint64_t>(round) : 0;
        allocator.release(block);
        in_use -= block.bytes;
        for (std::size_t granule = block.offset / 64; granule < (block.offset + block.bytes) / 64;
             ++granule) {
          map.is_used[granule] = 0;
          map.stamp[granule] = block.stamp;
        }
      }
      if (random() % 200 == 0) {  // trim: exactly the committed pages without a used granule
        std::vector<char> expected(map.is_committed.size()), got(map.is_committed.size());
        for (std::size_t page = 0; page < expected.size(); ++page) {
          const auto first = map.is_used.begin() + static_cast<long>(page * page_bytes / 64),
                     last = first + page_bytes / 64;
          if (std::find(first, last, 1) == last) expected[page] = std::exchange(map.is_committed[page], 0);
        }
        for (const auto& idle : allocator.take_idle()) {
          for (std::size_t page = idle.offset / page_bytes; page < (idle.offset + idle.bytes) / page_bytes;
               ++page)
            got[page] = 1;
        }
        ASSERT_EQ(got, expected);
      }
      ASSERT_EQ(allocator.in_use(), in_use);
    }
    EXPECT_GT(refused, 0u) << "the test must also meet a full heap";
    for (const auto& block : live) allocator.release(block);
    EXPECT_EQ(allocator.in_use(), 0u);
    EXPECT_TRUE(allocator.allocate(capacity)) << "all that is free is one piece";
  }
}

}  // namespace
}  // namespace gamelan::engine::distribution
