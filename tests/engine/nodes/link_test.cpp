// SPDX-License-Identifier: BSD-3-Clause
#include "engine/nodes/link.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "engine/nodes/awake_clock.hpp"

namespace gamelan::engine::nodes {
namespace {

using namespace std::chrono_literals;

struct LinkTest : ::testing::Test {
  LinkTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0); }
  int sockets[2];
};

Bytes noise(std::mt19937& random, std::size_t count) {
  Bytes bytes(count);
  for (auto& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

TEST_F(LinkTest, notes_of_any_size_arrive_whole_and_in_order) {
  Link one(sockets[0], "one"), two(sockets[1], "two");
  std::mt19937 random(3);
  std::vector<Bytes> bodies;
  for (int k = 0; k < 200; ++k)
    bodies.push_back(noise(random, k == 100 ? 5'000'000 : random() % (k % 10 == 0 ? 100'000 : 100)));
  std::thread sender([&] {
    for (std::size_t k = 0; k < bodies.size(); ++k) one.send({Note::Kind::post, k, 7 * k, bodies[k]});
  });
  std::size_t seen = 0;
  for (const auto end = std::chrono::steady_clock::now() + 20s;
       seen < bodies.size() && std::chrono::steady_clock::now() < end;) {
    ASSERT_TRUE(two.receive([&](Note note) {
      EXPECT_EQ(note.number, seen);
      EXPECT_EQ(note.value, 7 * seen);
      EXPECT_EQ(note.body, bodies[seen]);
      ++seen;
    }));
  }
  sender.join();
  EXPECT_EQ(seen, bodies.size());
}

TEST_F(LinkTest, a_note_in_single_bytes_is_seen_once_and_when_it_is_whole) {
  Link link(sockets[1], "peer");
  const std::uint64_t header[] = {static_cast<std::uint64_t>(Note::Kind::cut), 3, 9, 2};
  std::vector<char> wire(sizeof header + 2, 'x');
  std::memcpy(wire.data(), header, sizeof header);
  int seen = 0;
  for (std::size_t k = 0; k < wire.size(); ++k) {
    EXPECT_EQ(seen, 0);
    ASSERT_EQ(write(sockets[0], &wire[k], 1), 1);
    ASSERT_TRUE(link.receive([&](Note note) {
      ++seen;
      EXPECT_EQ(note.body.size(), 2u);
      EXPECT_EQ(note.value, 9u);
    }));
  }
  EXPECT_EQ(seen, 1);
  close(sockets[0]);
  EXPECT_FALSE(link.receive([](Note) { ADD_FAILURE(); }));
  EXPECT_FALSE(link.said_bye());
}

TEST_F(LinkTest, what_is_no_note_of_ours_ends_the_connection) {
  Link link(sockets[1], "peer");
  const std::uint64_t header[] = {0, 0, 0, std::uint64_t{1} << 40};
  ASSERT_EQ(write(sockets[0], header, sizeof header), static_cast<ssize_t>(sizeof header));
  EXPECT_FALSE(link.receive([](Note) { ADD_FAILURE(); }));
  close(sockets[0]);
}

TEST_F(LinkTest, a_bye_is_remembered_and_a_closed_peer_does_no_harm_to_the_sender) {
  Link link(sockets[1], "peer");
  {
    Link other(sockets[0], "other");
    other.send({Note::Kind::bye, 0, 0, {}});
  }
  while (link.receive([](Note) {})) {
  }
  EXPECT_TRUE(link.said_bye());
  link.send({Note::Kind::post, 1, 0, Bytes(1'000'000)});
}

TEST(AwakeClock, time_between_two_looks_counts_up_to_a_limit) {
  AwakeClock clock(0.1);
  std::this_thread::sleep_for(30ms);
  const double short_look = clock.look();
  EXPECT_GE(short_look, 0.03);
  EXPECT_LE(short_look, 0.1);
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(clock.look(), 0.1);
}

}  // namespace
}  // namespace gamelan::engine::nodes
