// SPDX-License-Identifier: BSD-3-Clause
// The server at its work: greetings, order, status, cancelling, bounds. server_life_test.cpp is about its
// beginning and end.
#include "tests/engine/server_fixture.hpp"

#include <algorithm>

namespace gamelan::engine::test {
namespace {

TEST(Server, greets_a_client_of_the_same_table) {
  Engine engine;
  Client client(engine.connection());
  const Reply reply = client.ask(hello(3));
  EXPECT_EQ(reply.outcome, Outcome::ok);
  EXPECT_EQ(nlohmann::json::parse(reply.info)["ranks"], 1);
}

TEST(Server, refuses_another_table_or_version_and_says_what_to_do) {
  Engine engine;
  Client client(engine.connection());
  for (const protocol::Hello& stranger :
       {protocol::Hello{1, protocol::protocol_version, protocol::fingerprint() ^ 1, ""},
        protocol::Hello{2, protocol::protocol_version + 1, protocol::fingerprint(), ""}}) {
    const Reply reply = client.ask(stranger);
    EXPECT_EQ(reply.outcome, Outcome::failed);
    EXPECT_EQ(reply.error, ErrorKind::version);
    EXPECT_NE(reply.message.find("build both from the same source"), std::string::npos) << reply.message;
  }
}

TEST(Server, executes_in_order_and_gives_large_payloads_back) {
  Engine engine;
  Client client(engine.connection());
  protocol::Batch large = batch(1);
  large.payloads = {Bytes(3'000'000, std::byte{7}), Bytes(), Bytes(1, std::byte{9})};
  client.send(large);
  for (std::uint64_t seq = 2; seq <= 20; ++seq) client.send(batch(seq));
  for (std::uint64_t seq = 1; seq <= 20; ++seq) {
    const std::optional<Reply> reply = client.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->seq, seq);
    if (seq == 1) {
      EXPECT_EQ(reply->payloads, large.payloads);
    }
  }
}

TEST(Server, tells_its_status_while_the_main_thread_computes) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  client.send(batch(2));
  const auto start = std::chrono::steady_clock::now();
  const Reply reply = client.ask(protocol::StatusRequest{5});
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  const nlohmann::json info = nlohmann::json::parse(reply.info);
  EXPECT_EQ(info["batches"], 7);
  EXPECT_EQ(info["server"]["is_busy"], true);
  EXPECT_EQ(info["server"]["queued"], 1);
  engine.open();
  EXPECT_EQ(client.receive()->seq, 1U);
  EXPECT_EQ(client.receive()->seq, 2U);
}

TEST(Server, names_stopped_ranks_amid_a_long_request_only) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  const auto told = [&](std::uint64_t seq) {
    return nlohmann::json::parse(client.ask(protocol::Heartbeat{seq, 0}).info).contains("stopped");
  };
  EXPECT_FALSE(told(2));
  std::this_thread::sleep_for(3'200ms);
  EXPECT_TRUE(told(3));
  engine.open();
  EXPECT_TRUE(client.receive(2s));
  EXPECT_FALSE(told(4));
}

TEST(Server, hears_a_cancel_and_heartbeats_while_all_ranks_are_asked_for_their_counters) {
  Engine engine;
  Client asking(engine.connection()), client(engine.connection());
  engine.hold_status(true);
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  asking.send(protocol::StatusRequest{1});
  for (int count = 0; count < 100 && engine.collections() == 0; ++count) std::this_thread::sleep_for(10ms);
  for (std::uint64_t seq = 2; seq <= 4; ++seq)
    asking.send(protocol::StatusRequest{seq});  // they share the next collection
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(nlohmann::json::parse(client.ask(protocol::Heartbeat{2, 0}).info),
            (nlohmann::json{{"steps_done", 3}, {"batch", 1}, {"file", "caf\uFFFD.py"}, {"line", 7}}));
  Client other(engine.connection());  // whose program does not run
  EXPECT_EQ(nlohmann::json::parse(other.ask(protocol::Heartbeat{1, 0}).info),
            (nlohmann::json{{"steps_done", 3}}));
  client.send(protocol::Cancel{3, 1});
  bool seen[4] = {};
  for (int count = 0; count < 2; ++count) {
    const auto reply = client.receive(2s);
    ASSERT_TRUE(reply);
    seen[reply->seq] = true;
  }
  EXPECT_TRUE(seen[1] && seen[3]);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_EQ(engine.cut(), std::vector<std::uint64_t>{1});
  EXPECT_EQ(engine.collections(), 1);
  engine.hold_status(false);
  for (std::uint64_t seq = 1; seq <= 4; ++seq) {
    const auto reply = asking.receive(2s);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->seq, seq);
    EXPECT_EQ(nlohmann::json::parse(reply->info)["batches"], 7);
  }
  EXPECT_EQ(engine.collections(), 2);
}

TEST(Server, who_asks_for_status_too_often_or_too_late_is_told) {
  Engine engine;
  Client client(engine.connection());
  engine.hold_status(true);
  client.send(protocol::StatusRequest{1});
  for (int count = 0; count < 100 && engine.collections() == 0; ++count) std::this_thread::sleep_for(10ms);
  for (std::uint64_t seq = 2; seq <= 258; ++seq) client.send(protocol::StatusRequest{seq});
  const auto refused = client.receive(2s);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->seq, 258U);
  EXPECT_NE(refused->message.find("too many requests for status"), std::string::npos) << refused->message;
  std::thread releasing([&] {
    std::this_thread::sleep_for(500ms);
    engine.hold_status(false);
  });
  engine.stop();  // while it is collected
  releasing.join();
  for (std::uint64_t seq = 1; seq <= 257; ++seq) {
    const auto reply = client.receive(2s);
    ASSERT_TRUE(reply) << seq;
    EXPECT_EQ(reply->error, ErrorKind::engine_lost) << reply->message;
  }
}

/// The main thread and the standby thread hand the socket to each other all the time; no message may be left
/// lying.
TEST(Server, hands_the_socket_over_without_losing_a_message) {
  const std::string directory = make_private_directory();
  Options options;
  options.connection_file = directory + "/engine.json";
  options.idle_timeout_s = 0;
  {
    Server server(options, connection_template(),
                  {.heartbeat = [] { return nlohmann::json::object(); },
                   .stopped = [] { return nlohmann::json::object(); },
                   .status = [] { return nlohmann::json::object(); },
                   .hello_info = [] { return std::string("{}"); },
                   .cancel = [](std::uint64_t) {}});
    std::atomic<bool> is_over{false};
    std::thread main_thread([&] {
      std::mt19937 random(1);
      while (!is_over) {
        auto incoming = server.next(3s);
        if (!incoming) continue;
        std::this_thread::sleep_for(
            std::chrono::microseconds(random() % 30'000));  // around what the standby thread waits for
        Reply reply;
        reply.seq = protocol::sequence(incoming->request);
        server.reply(std::move(reply));
      }
    });
    {
      Client client(server.connection()), other(server.connection());
      std::mt19937 random(2);
      for (std::uint64_t seq = 1; seq <= 150; ++seq) {
        client.send(batch(seq));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
        const auto asked = std::chrono::steady_clock::now();
        other.ask(protocol::StatusRequest{seq});
        const auto reply = client.receive(2s);
        EXPECT_TRUE(reply && reply->seq == seq) << seq;
        EXPECT_LT(std::chrono::steady_clock::now() - asked, 2s)
            << "the main thread slept over message " << seq;
      }
      is_over = true;
      client.send(batch(151));
      client.receive();
    }
    main_thread.join();
  }
  std::filesystem::remove_all(directory);
}

TEST(Server, cancels_the_running_batch_and_drops_the_queued_one) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  for (std::uint64_t seq = 2; seq <= 3; ++seq) client.send(batch(seq));
  client.send(protocol::Cancel{4, 2});
  std::optional<Reply> reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seq, 2U);
  EXPECT_EQ(reply->outcome, Outcome::cancelled);
  EXPECT_EQ(reply->command, 0);
  EXPECT_EQ(client.receive()->seq, 4U);
  EXPECT_TRUE(engine.cut().empty());
  client.send(protocol::Cancel{5, 0});
  bool seen[6] = {};
  for (int count = 0; count < 3; ++count) {
    reply = client.receive();
    ASSERT_TRUE(reply);
    seen[reply->seq] = true;
    EXPECT_EQ(reply->outcome, reply->seq == 5 ? Outcome::ok : Outcome::cancelled);
  }
  EXPECT_TRUE(seen[1] && seen[3] && seen[5]);
  EXPECT_EQ(engine.executed(), std::vector<std::uint64_t>{1});
  EXPECT_EQ(engine.cut(), std::vector<std::uint64_t>{1});
}

/// A batch of an epoch.
protocol::Batch batch_in(std::uint64_t epoch, std::uint64_t seq) {
  protocol::Batch result = batch(seq);
  result.epoch = epoch;
  return result;
}

TEST(Server, what_is_behind_a_batch_that_failed_does_not_run_in_its_epoch) {
  Engine engine;
  Client client(engine.connection()), other(engine.connection());
  engine.close();
  client.send(batch_in(1, 1));
  ASSERT_TRUE(engine.wait_until_busy());
  client.send(batch_in(1, 2));
  client.send(batch_in(0, 3));
  client.send(batch_in(2, 4));
  other.send(batch_in(1, 6));
  client.send(protocol::Cancel{5, 1});  // so batch 1 is not whole; its error comes from the main thread alike
  bool is_ok[6] = {};
  for (int count = 0; count < 5; ++count) {
    const std::optional<Reply> reply = client.receive();
    ASSERT_TRUE(reply);
    if (reply->seq == 1) engine.open();
    is_ok[reply->seq] = reply->outcome == Outcome::ok;
  }
  EXPECT_FALSE(is_ok[2]);
  EXPECT_TRUE(is_ok[3] && is_ok[4]);
  EXPECT_EQ(other.receive()->outcome, Outcome::ok);
  const auto executed = engine.executed();
  EXPECT_EQ(std::count(executed.begin(), executed.end(), 2U), 0);
}

TEST(Server, a_batch_that_comes_late_from_an_ended_epoch_is_cancelled) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch_in(7, 1));
  ASSERT_TRUE(engine.wait_until_busy());
  client.send(protocol::Cancel{2, 1});
  for (int count = 0; count < 2; ++count) ASSERT_TRUE(client.receive());
  engine.open();
  const Reply late = client.ask(batch_in(7, 3));
  EXPECT_EQ(late.outcome, Outcome::cancelled);
  EXPECT_EQ(late.command, 0);
  EXPECT_EQ(client.ask(batch_in(8, 4)).outcome, Outcome::ok);
  EXPECT_EQ(engine.executed(), (std::vector<std::uint64_t>{1, 4}));
}

TEST(Server, a_client_cancels_its_own_batches_only) {
  Engine engine;
  Client owner(engine.connection()), other(engine.connection());  // both number their batches from 1
  engine.close();
  owner.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  owner.send(batch(2));
  EXPECT_EQ(other.ask(protocol::Cancel{1, 1}).outcome, Outcome::ok);
  EXPECT_EQ(other.ask(protocol::Cancel{2, 2}).outcome, Outcome::ok);
  EXPECT_EQ(other.ask(protocol::Cancel{3, 0}).outcome, Outcome::ok);
  EXPECT_TRUE(engine.cut().empty());
  engine.open();
  EXPECT_EQ(owner.receive()->outcome, Outcome::ok);
  EXPECT_EQ(owner.receive()->outcome, Outcome::ok);
}

TEST(Server, cancel_of_what_is_over_cuts_nothing) {
  Engine engine;
  Client client(engine.connection());
  client.ask(batch(1));
  engine.close();
  client.send(batch(2));
  ASSERT_TRUE(engine.wait_until_busy());
  EXPECT_EQ(client.ask(protocol::Cancel{3, 1}).outcome, Outcome::ok);
  EXPECT_TRUE(engine.cut().empty());
  engine.open();
  EXPECT_EQ(client.receive()->outcome, Outcome::ok);
}

TEST(Server, bounds_its_queue_and_answers_what_it_refuses) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  for (std::uint64_t seq = 2; seq <= 66; ++seq) client.send(batch(seq));
  const std::optional<Reply> refused = client.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->seq, 66U);
  EXPECT_EQ(refused->outcome, Outcome::failed);
  EXPECT_NE(refused->message.find("too many requests"), std::string::npos);
  engine.open();
  for (std::uint64_t seq = 1; seq <= 65; ++seq) EXPECT_EQ(client.receive()->seq, seq);
}

}  // namespace
}  // namespace gamelan::engine::test
