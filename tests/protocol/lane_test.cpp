// SPDX-License-Identifier: BSD-3-Clause
// The ring of a lane: every message arrives whole and in order, whatever the lengths, and what is no message
// is refused.
#include "protocol/lanes/lane.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>

namespace gamelan::protocol::test {
namespace {

struct Memory {
  explicit Memory(std::size_t size) : bytes(size), data(new std::byte[size]) {}
  Ring ring() { return {words, data.get(), bytes}; }
  RingWords words;
  std::size_t bytes;
  std::unique_ptr<std::byte[]> data;
};

Frames numbered(std::uint64_t number, std::size_t length) {
  Frames frames{Bytes(sizeof number), Bytes(length, static_cast<std::byte>(number))};
  std::memcpy(frames[0].data(), &number, sizeof number);
  return frames;
}

TEST(Ring, a_message_comes_out_as_it_went_in) {
  Memory memory(1024);
  Ring ring = memory.ring();
  EXPECT_FALSE(ring.read());
  ASSERT_TRUE(ring.write(numbered(7, 13)));
  const auto packed = ring.read();
  ASSERT_TRUE(packed);
  EXPECT_EQ(unpack(*packed), numbered(7, 13));
  ring.release();
  EXPECT_FALSE(ring.read());
}

TEST(Ring, what_does_not_fit_is_not_written_and_the_rest_stays_whole) {
  Memory memory(256);
  Ring ring = memory.ring();
  EXPECT_FALSE(ring.write(numbered(1, 256)));
  std::uint64_t written = 0;
  while (ring.write(numbered(written, 20))) ++written;
  EXPECT_GE(written, 3U);
  for (std::uint64_t number = 0; number < written; ++number) {
    const auto packed = ring.read();
    ASSERT_TRUE(packed);
    EXPECT_EQ(unpack(*packed), numbered(number, 20));
    ring.release();
  }
  EXPECT_FALSE(ring.read());
  EXPECT_TRUE(ring.write(numbered(9, 100)));
}

TEST(Ring, short_messages_one_at_a_time_stay_at_the_beginning) {
  Memory memory(1 << 16);
  std::memset(memory.data.get(), 0x55, memory.bytes);
  Ring ring = memory.ring();
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    ASSERT_TRUE(ring.write(numbered(number, number % 40)));
    ASSERT_TRUE(ring.read());
    ring.release();
  }
  for (std::size_t place = 1024; place < memory.bytes; ++place)
    ASSERT_EQ(memory.data[place], std::byte{0x55}) << place;
}

TEST(Ring, a_writer_and_a_reader_at_once_keep_order_and_contents) {
  for (const std::size_t bytes : {128U, 520U, 4096U}) {
    Memory memory(bytes);
    constexpr std::uint64_t count = 3'000;
    std::thread writer([&] {
      std::mt19937 random(5);
      Ring ring = memory.ring();
      for (std::uint64_t number = 0; number < count; ++number) {
        const Frames frames = numbered(number, random() % (bytes / 2));
        if (packed_bytes(frames) + 16 > bytes) continue;
        while (!ring.write(frames)) std::this_thread::yield();
      }
    });
    std::mt19937 random(5);
    Ring ring = memory.ring();
    for (std::uint64_t number = 0; number < count; ++number) {
      const Frames expected = numbered(number, random() % (bytes / 2));
      if (packed_bytes(expected) + 16 > bytes) continue;
      std::optional<std::span<const std::byte>> packed;
      while (!(packed = ring.read())) std::this_thread::yield();
      if (unpack(*packed) != expected) {
        ADD_FAILURE() << "message " << number << " of a ring of " << bytes << " bytes";
        std::abort();  // the writer would wait for ever
      }
      ring.release();
    }
    writer.join();
  }
}

TEST(Ring, bytes_that_are_no_message_are_refused) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20'000; ++round) {
    Memory memory(256);
    for (std::size_t place = 0; place < memory.bytes; place += 8) {
      const std::uint64_t number = random() >> random() % 64;
      std::memcpy(memory.data.get() + place, &number, 8);
    }
    memory.words.read.store(random() % 300 / 8 * 8);
    memory.words.written.store(memory.words.read.load() + random() % 300 / 8 * 8);
    memory.words.start.store(random() % 4 == 0 ? random() % 600 : 0);
    Ring ring = memory.ring();
    try {
      while (const auto packed = ring.read()) {
        ASSERT_GE(packed->data(), memory.data.get());
        ASSERT_LE(packed->data() + packed->size(), memory.data.get() + memory.bytes);
        ring.release();
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::protocol);
    }
  }
}

}  // namespace
}  // namespace gamelan::protocol::test
