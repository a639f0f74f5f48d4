// SPDX-License-Identifier: BSD-3-Clause
// Large elements stay in the lane's memory for all ranks to read, until their request is answered; the sender
// keeps them, too. The fixture's main thread echoes payloads: what it got is what the ranks would.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstring>

#include "kernel/connection/client.hpp"
#include "kernel/connection/lane.hpp"
#include "tests/engine/server_fixture.hpp"

namespace gamelan::connection::test {
namespace {

using engine::test::Engine;
using protocol::Bytes;
using protocol::Reply;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

protocol::Batch constant(std::size_t bytes, std::byte value) {
  protocol::Batch batch;
  protocol::Command command;
  command.op = protocol::Op::constant;
  command.loop = protocol::Dtype::uint8;
  command.creates = true;
  command.out = protocol::whole(1, protocol::Dtype::uint8, {static_cast<std::int64_t>(bytes)});
  command.payload = 0;
  batch.commands = {command};
  batch.origins = {{"cell", 1}};
  batch.payloads = {Bytes(bytes, value)};
  return batch;
}

std::optional<Reply> take(kernel::Client& client, std::uint64_t seq) {
  for (const auto end = Clock::now() + 15s; Clock::now() < end;)
    if (auto reply = client.take(seq, 100ms)) return reply;
  return std::nullopt;
}

/// An engine whose ranks map the lanes, and a client that has one of them.
struct Session {
  explicit Session(bool takes_lent = true) { lanes->takes_lent.store(takes_lent); }

  /// What a rank finds where the echoed payload says.
  Bytes read(const Reply& reply, std::size_t bytes) const {
    const auto lent = protocol::lent_by(reply.payloads.at(0), bytes, protocol::Dtype::uint8);
    if (!lent) return reply.payloads[0];
    const auto* first = reinterpret_cast<const std::byte*>(lanes.get()) + lent->offset;
    return {first, first + bytes};
  }
  bool is_lent(const Reply& reply, std::size_t bytes) const {
    return protocol::lent_by(reply.payloads.at(0), bytes, protocol::Dtype::uint8).has_value();
  }

  Engine engine{engine::Transport::ipc, 0, 500ms};
  protocol::LaneOffer offer = *engine.server().lane_offer();
  protocol::LaneMemory lanes = protocol::map_lanes(offer);
  kernel::Client client{engine.connection(), {}, ""};
  std::string problem = client.open_lane(offer, 1);
};

TEST(Lending, elements_of_any_size_arrive_and_the_sender_keeps_them) {
  Session session;
  ASSERT_EQ(session.problem, "");
  for (const std::size_t bytes : {1'000U, 65'535U, 65'536U, 1'000'001U, 20'000'000U, 40'000'000U}) {
    kernel::Client::SharedFrames kept;
    const auto value = static_cast<std::byte>(bytes % 251);
    const auto reply = take(session.client, session.client.send(constant(bytes, value), &kept));
    ASSERT_TRUE(reply) << bytes;
    EXPECT_EQ(session.is_lent(*reply, bytes), bytes >= protocol::least_lent_bytes && bytes < 33'000'000);
    EXPECT_TRUE(session.read(*reply, bytes) == Bytes(bytes, value)) << bytes;
    ASSERT_EQ(kept->size(), 3U);
    EXPECT_TRUE((*kept)[2] == Bytes(bytes, value)) << bytes;
  }
}

TEST(Lending, nothing_is_lent_where_a_rank_cannot_map_the_memory) {
  Session session(false);
  const auto reply = take(session.client, session.client.send(constant(1'000'000, std::byte{3})));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->payloads[0].size(), 1'000'000U);
}

TEST(Lending, what_waits_keeps_its_elements_and_what_finds_no_room_is_sent) {
  Session session;
  session.engine.close();
  std::vector<std::uint64_t> asked;
  constexpr std::size_t bytes = 6'000'000;
  for (int count = 0; count < 9; ++count)
    asked.push_back(session.client.send(constant(bytes, static_cast<std::byte>(count))));
  session.engine.open();
  std::size_t lent = 0;
  for (std::size_t count = 0; count < asked.size(); ++count) {
    const auto reply = take(session.client, asked[count]);
    ASSERT_TRUE(reply);
    lent += session.is_lent(*reply, bytes);
    EXPECT_TRUE(session.read(*reply, bytes) == Bytes(bytes, static_cast<std::byte>(count))) << count;
  }
  EXPECT_EQ(lent, 5U);  // 30 of 32 MiB
}

TEST(Lending, a_client_that_dies_takes_nothing_back_before_its_request_is_done) {
  Session session;
  session.engine.close();
  ASSERT_EQ(session.problem, "");
  constexpr std::size_t bytes = 1'000'000;
  const pid_t child = fork();
  if (child == 0) {
    kernel::Lane lane(session.offer, Bytes(12, std::byte{9}), 1);
    auto request = constant(bytes, std::byte{6});
    request.seq = 77;
    const std::vector<std::size_t> payloads{0};
    _exit(lane.send(77, protocol::encode(protocol::Request(request)), payloads) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(session.engine.wait_until_busy());
  const auto place = [&] {  // of the dead client: the second lane, since the first is the session's
    const auto* first =
        reinterpret_cast<const std::byte*>(session.lanes.get()) + protocol::LaneRegion::lent_begin(1);
    return Bytes(first, first + bytes);
  };
  std::this_thread::sleep_for(1s);  // rank 0 frees lanes twice a second, or more often
  EXPECT_TRUE(place() == Bytes(bytes, std::byte{6}));
  session.engine.open();
  const auto end = Clock::now() + 10s;
  while (place() != Bytes(bytes) && Clock::now() < end) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(place() == Bytes(bytes));  // its pages are free again
}

}  // namespace
}  // namespace gamelan::connection::test
