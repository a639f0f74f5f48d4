// SPDX-License-Identifier: BSD-3-Clause
// Frames in parts and back, at sizes around a part; names of connections.
#include "protocol/parts.hpp"

#include <gtest/gtest.h>

#include "random_messages.hpp"

namespace gamelan::protocol {
namespace {

Frames through_parts(const Frames& frames) {
  Joiner joiner;
  for (const Bytes& frame : frames) {
    const std::size_t count = part_count(frame.size());
    for (std::size_t index = 0; index < count; ++index) {
      EXPECT_LE(part(frame, index).size(), part_bytes);
      joiner.add(part(frame, index));
    }
  }
  EXPECT_FALSE(joiner.is_too_long());
  return joiner.take();
}

TEST(Parts, frames_of_every_size_come_back) {
  Frames all;
  test::Random random;
  SCOPED_TRACE(random.seed());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, part_bytes - 1, part_bytes, part_bytes + 1,
                                 2 * part_bytes, 2 * part_bytes + 7}) {
    all.push_back(test::random_bytes(random, size));
    EXPECT_EQ(through_parts({all.back()}), Frames{all.back()}) << size;
  }
  EXPECT_EQ(through_parts(all), all);
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(through_parts(all), all);
  EXPECT_EQ(through_parts({}), Frames{});
}

TEST(Parts, too_many_frames_are_counted_and_not_kept) {
  Joiner joiner;
  const Bytes one(1);
  for (std::size_t count = 0; count < max_frames; ++count) joiner.add(one);
  EXPECT_FALSE(joiner.is_too_long());
  joiner.add(one);
  EXPECT_TRUE(joiner.is_too_long());
  joiner.add(one);
  EXPECT_EQ(joiner.take(), Frames{one});  // the header, for its number
}

TEST(Parts, a_message_that_is_too_long_is_not_kept) {
  const Bytes whole(part_bytes, std::byte{1}), header(100, std::byte{2});
  for (const std::size_t frames : {1U, 3U}) {
    Joiner joiner(3 * part_bytes + header.size());
    joiner.add(header);
    for (std::size_t count = 0; count < 3; ++count) {
      joiner.add(whole);
      if (frames == 3) joiner.add({});
    }
    EXPECT_FALSE(joiner.is_too_long());
    joiner.add(Bytes(1));
    EXPECT_TRUE(joiner.is_too_long());
    for (std::size_t count = 0; count < 100; ++count) joiner.add(whole);
    EXPECT_EQ(joiner.take(), Frames{header});
  }
  Joiner joiner(2 * part_bytes);  // a header without end is none
  for (std::size_t count = 0; count < 3; ++count) joiner.add(whole);
  EXPECT_TRUE(joiner.is_too_long());
  EXPECT_EQ(joiner.take(), Frames{});
}

TEST(Parts, names_of_connections_are_told_from_others) {
  const Bytes client = random_client_name();
  EXPECT_NE(client, random_client_name());
  for (const std::uint32_t number : {1U, 255U, 256U, 0xffff'ffffU}) {
    const auto name = parse_routing_id(routing_id({client, number}));
    ASSERT_TRUE(name);
    EXPECT_EQ(name->client, client);
    EXPECT_EQ(name->connection, number);
  }
  Bytes given_by_zeromq = routing_id({client, 1});
  given_by_zeromq[0] = std::byte{0};
  for (const Bytes& other : {Bytes(), Bytes(5), given_by_zeromq, client, Bytes(255, std::byte{'g'})})
    EXPECT_FALSE(parse_routing_id(other));
}

}  // namespace
}  // namespace gamelan::protocol
