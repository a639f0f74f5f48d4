// SPDX-License-Identifier: BSD-3-Clause
// The notebook's client and rank 0's server on one machine: batches go through shared memory, in order with
// what goes over the socket, and whoever leaves or dies leaves nothing behind.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>

#include "kernel/connection/client.hpp"
#include "kernel/connection/lane.hpp"
#include "protocol/lanes/patience.hpp"
#include "tests/engine/server_fixture.hpp"

namespace gamelan::connection::test {
namespace {

using engine::test::Engine;
using protocol::Bytes;
using protocol::Error;
using protocol::Outcome;
using protocol::Reply;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

protocol::Batch batch_with(std::size_t bytes) {
  protocol::Batch batch;
  batch.payloads = {Bytes(bytes, std::byte{5})};
  return batch;
}

std::optional<Reply> take(kernel::Client& client, std::uint64_t seq, std::chrono::milliseconds limit = 15s) {
  const auto end = Clock::now() + limit;
  while (Clock::now() < end)
    if (auto reply = client.take(seq, 100ms)) return reply;
  return std::nullopt;
}

protocol::LaneOffer offer_in(const Reply& greeting) {
  const auto lane = nlohmann::json::parse(greeting.info).at("lane");
  return {lane.at("process_id"), lane.at("descriptor"), lane.at("proof"), lane.at("layout")};
}

/// An engine of this machine, and a client that has a lane to it.
struct Session {
  int ranks = 1;
  Engine engine{engine::Transport::ipc, 0, 500ms};  // waits as long as the real one
  kernel::Client client{engine.connection(), {}, ""};
  protocol::LaneOffer offer = offer_in(*take(client, client.send(engine::test::hello(0))));
  std::string problem = client.open_lane(offer, ranks);
};

TEST(Lane, batches_and_replies_of_any_size_go_through_it) {
  Session session;
  ASSERT_EQ(session.problem, "");
  EXPECT_TRUE(session.client.route().ends_with(", batches through shared memory"));
  // The last one finds no room in either direction, and goes over the socket.
  for (const std::size_t bytes : {0U, 10U, 100'000U, 20'000'000U, 40'000'000U, 10U}) {
    const auto reply = take(session.client, session.client.send(batch_with(bytes)));
    ASSERT_TRUE(reply) << bytes;
    ASSERT_EQ(reply->outcome, Outcome::ok) << reply->message;
    EXPECT_EQ(reply->payloads[0], Bytes(bytes, std::byte{5}));
  }
}

TEST(Lane, a_notebook_without_a_core_of_its_own_is_woken) {
  Session session{100'000};
  ASSERT_EQ(session.problem, "");
  for (int round = 0; round < 200; ++round)
    ASSERT_TRUE(take(session.client, session.client.send(batch_with(10)))) << round;
}

TEST(Lane, who_only_asks_does_not_wait) {
  Session session;
  session.engine.close();
  const auto seq = session.client.send(batch_with(10));
  ASSERT_TRUE(session.engine.wait_until_busy());
  auto shortest = Clock::duration::max();
  for (int round = 0; round < 100; ++round) {
    const auto begin = Clock::now();
    ASSERT_FALSE(session.client.take(seq, 0ms));
    shortest = std::min(shortest, Clock::now() - begin);
  }
  EXPECT_LT(shortest, protocol::Patience::usual / 2);
  session.engine.open();
  EXPECT_TRUE(take(session.client, seq));
}

TEST(Lane, what_goes_through_it_and_over_the_socket_keeps_its_order) {
  Session session;
  std::mt19937 random(3);
  std::vector<std::uint64_t> asked;
  for (int round = 0; round < 40; ++round) {
    for (int count = 0; count < 5; ++count) {
      const bool is_too_long_for_the_lane = random() % 10 == 0;
      asked.push_back(
          session.client.send(batch_with(is_too_long_for_the_lane ? 33'000'000 : random() % 5'000)));
    }
    for (auto seq = asked.end() - 5; seq != asked.end(); ++seq) ASSERT_TRUE(take(session.client, *seq));
  }
  EXPECT_EQ(session.engine.executed(), asked);
}

TEST(Lane, more_requests_than_the_queue_takes_wait_in_it) {
  Session session;
  session.engine.close();
  std::vector<std::uint64_t> asked;
  for (int count = 0; count < 300; ++count) asked.push_back(session.client.send(batch_with(10)));
  ASSERT_TRUE(session.engine.wait_until_busy());
  session.engine.open();
  for (const auto seq : asked) {
    const auto reply = take(session.client, seq);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->outcome, Outcome::ok) << reply->message;
  }
  EXPECT_EQ(session.engine.executed(), asked);
}

TEST(Lane, a_cancel_over_the_socket_finds_what_waits_in_it) {
  Session session;
  session.engine.close();
  const auto running = session.client.send(batch_with(10));
  ASSERT_TRUE(session.engine.wait_until_busy());
  const auto waiting = session.client.send(batch_with(20));
  const auto cut = session.client.send(protocol::Cancel{});
  ASSERT_TRUE(take(session.client, cut));
  for (const auto seq : {running, waiting}) {
    const auto reply = take(session.client, seq);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->outcome, Outcome::cancelled);
  }
  EXPECT_EQ(session.engine.executed(), std::vector<std::uint64_t>{running});
}

TEST(Lane, replies_that_nobody_takes_stop_nothing) {
  Session session;
  for (int count = 0; count < 8; ++count)  // more than its ring holds
    session.client.forget(session.client.send(batch_with(20'000'000)));
  ASSERT_TRUE(take(session.client, session.client.send(batch_with(10))));
}

TEST(Lane, several_threads_may_wait) {
  Session session;
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int count = 0; count < 200; ++count)
        if (take(session.client, session.client.send(batch_with(100)))) ++answered;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered, 800);
}

TEST(Lane, another_client_of_the_socket_is_served_meanwhile) {
  Session session;
  ASSERT_TRUE(take(session.client, session.client.send(batch_with(10))));
  engine::test::Client other(session.engine.connection());
  EXPECT_EQ(other.ask(engine::test::batch(4)).outcome, Outcome::ok);
  ASSERT_TRUE(take(session.client, session.client.send(batch_with(10))));
}

TEST(Lane, the_ones_that_clients_leave_are_given_to_others) {
  Session session;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<kernel::Client>> clients;
    for (std::size_t count = 1; count < protocol::LaneRegion::lane_count; ++count) {
      clients.push_back(
          std::make_unique<kernel::Client>(session.engine.connection(), std::vector<kernel::Route>(), ""));
      const auto end = Clock::now() + 10s;  // rank 0 frees lanes now and then
      std::string problem;
      while (!(problem = clients.back()->open_lane(session.offer, 1)).empty() && Clock::now() < end)
        std::this_thread::sleep_for(20ms);
      ASSERT_EQ(problem, "");
      ASSERT_TRUE(take(*clients.back(), clients.back()->send(batch_with(10))));
    }
    kernel::Client late(session.engine.connection(), {}, "");
    EXPECT_NE(late.open_lane(session.offer, 1).find("all lanes of rank 0 are taken"), std::string::npos);
    ASSERT_TRUE(take(late, late.send(batch_with(10))));  // over the socket
  }
}

TEST(Lane, that_of_a_client_that_died_is_free_again_after_its_last_request) {
  Session session;
  const pid_t child = fork();
  if (child == 0) {
    kernel::Lane lane(session.offer, Bytes(12, std::byte{9}), 1);
    auto request = batch_with(10);
    request.seq = 77;
    _exit(lane.send(77, protocol::encode(protocol::Request(request))) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const auto end = Clock::now() + 10s;
  while (session.engine.executed().empty() && Clock::now() < end) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(session.engine.executed(), std::vector<std::uint64_t>{77});
  std::vector<std::unique_ptr<kernel::Lane>> lanes;  // all but the session's own
  while (lanes.size() + 1 < protocol::LaneRegion::lane_count) {
    ASSERT_LT(Clock::now(), end);
    try {
      lanes.push_back(std::make_unique<kernel::Lane>(session.offer, Bytes(12, std::byte{1}), 1));
    } catch (const Error&) {
      std::this_thread::sleep_for(20ms);
    }
  }
}

TEST(Lane, memory_that_is_another_or_cannot_be_had_is_refused_with_the_reason) {
  Session session;
  auto offer = session.offer;
  offer.proof += 1;
  EXPECT_NE(session.client.open_lane(offer, 1), "");
  const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
  offer = {getpid(), other, session.offer.proof, session.offer.layout};
  kernel::Client client(session.engine.connection(), {}, "");
  EXPECT_NE(client.open_lane(offer, 1).find("another container"), std::string::npos);
  close(other);
  offer = {std::int64_t{1} << 30, 3, session.offer.proof, session.offer.layout};
  EXPECT_NE(client.open_lane(offer, 1).find("cannot be opened"), std::string::npos);
  ASSERT_TRUE(take(client, client.send(batch_with(10))));
}

TEST(Lane, a_lane_that_holds_no_message_harms_nobody_else) {
  Session session;
  {
    kernel::Client bad(session.engine.connection(), {}, "");
    ASSERT_EQ(bad.open_lane(session.offer, 1), "");
    const std::string path = "/proc/self/fd/" + std::to_string(session.offer.descriptor);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    // Rubbish over everything that the two clients' requests may be read from, but for the first client's.
    const Bytes rubbish(4096, std::byte{0x7f});
    const auto place = protocol::LaneRegion::header_bytes + protocol::LaneRegion::lane_bytes;
    session.engine.close();
    bad.send(batch_with(100));
    ASSERT_TRUE(session.engine.wait_until_busy());
    const auto second = bad.send(batch_with(100));
    ASSERT_EQ(pwrite(file, rubbish.data(), rubbish.size(), static_cast<off_t>(place)),
              static_cast<ssize_t>(rubbish.size()));
    close(file);
    session.engine.open();
    ASSERT_TRUE(take(session.client, session.client.send(batch_with(10))));
    EXPECT_THROW(take(bad, second), Error);  // and its own client does not wait for ever
  }
  ASSERT_TRUE(take(session.client, session.client.send(batch_with(10))));
}

TEST(Lane, a_client_of_the_socket_is_not_kept_waiting_when_a_lane_is_freed) {
  Session session;
  for (int round = 0; round < 5; ++round) {
    auto leaver =
        std::make_unique<kernel::Client>(session.engine.connection(), std::vector<kernel::Route>(), "");
    ASSERT_EQ(leaver->open_lane(session.offer, 1), "");
    ASSERT_TRUE(take(*leaver, leaver->send(batch_with(10))));
    engine::test::Client other(session.engine.connection());
    leaver.reset();
    const auto start = Clock::now();
    EXPECT_EQ(other.ask(engine::test::batch(4)).outcome, Outcome::ok);
    EXPECT_LT(Clock::now() - start, 400ms);
  }
}

TEST(Lane, a_server_that_ends_leaves_nobody_waiting) {
  Session session;
  session.engine.close();
  const auto seq = session.client.send(batch_with(10));
  ASSERT_TRUE(session.engine.wait_until_busy());
  std::thread stop([&] {
    std::this_thread::sleep_for(100ms);
    session.engine.open();
    session.engine.stop();
  });
  ASSERT_TRUE(take(session.client, seq));
  const auto start = Clock::now();
  EXPECT_THROW(
      while (Clock::now() - start < 25s) {  // some may come before it stops
        const auto next = session.client.send(batch_with(10));
        take(session.client, next, 30s);
      },
      Error);
  EXPECT_LT(Clock::now() - start, 25s);
  stop.join();
}

}  // namespace
}  // namespace gamelan::connection::test
