// SPDX-License-Identifier: BSD-3-Clause
// The notebook's client and rank 0's server with a bad network between them: every request is answered, none
// is done twice, and an end is called an end, in time and by its name.
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "kernel/connection/channel.hpp"
#include "kernel/connection/client.hpp"
#include "kernel/connection/probe.hpp"
#include "tests/engine/server_fixture.hpp"
#include "tests/kernel/connection/proxy.hpp"

namespace gamelan::connection::test {
namespace {

using engine::test::Engine;
using protocol::Bytes;
using protocol::Outcome;
using protocol::Reply;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

int port_of(const std::string& address) { return std::stoi(address.substr(address.rfind(':') + 1)); }

protocol::Connection through(const Proxy& proxy, protocol::Connection connection) {
  connection.addresses = {"tcp://127.0.0.1:" + std::to_string(proxy.port())};
  connection.host = "node2";
  return connection;
}

/// An engine, a bad network, a client.
struct Session {
  Engine engine{engine::Transport::tcp};
  Proxy proxy{port_of(engine.connection().addresses.back())};
  kernel::Client client{through(proxy, engine.connection()), {}, ""};

  std::optional<Reply> take(std::uint64_t seq, std::chrono::milliseconds limit = 15s) {
    const auto end = Clock::now() + limit;
    while (Clock::now() < end)
      if (auto reply = client.take(seq, 100ms)) return reply;
    return std::nullopt;
  }
  void greet() { ASSERT_TRUE(take(client.send(engine::test::hello(0)))); }
};

protocol::Batch batch_with(std::size_t bytes) {
  protocol::Batch batch;
  batch.payloads = {Bytes(bytes, std::byte{5})};
  return batch;
}

TEST(Reconnect, a_reply_that_got_lost_comes_on_the_next_connection_and_nothing_is_done_twice) {
  Session session;
  session.greet();
  session.engine.close();
  const auto first = session.client.send(batch_with(10)), second = session.client.send(batch_with(20));
  ASSERT_TRUE(session.engine.wait_until_busy());
  session.proxy.set(Proxy::Mode::swallow);
  std::this_thread::sleep_for(50ms);  // until the proxy has noticed
  session.engine.open();              // both are done, and their replies go nowhere
  for (int count = 0; count < 100 && session.engine.executed().size() < 2; ++count)
    std::this_thread::sleep_for(20ms);
  session.proxy.break_off();
  session.proxy.set(Proxy::Mode::pass);
  for (const auto seq : {first, second}) {
    const auto reply = session.take(seq);
    ASSERT_TRUE(reply) << seq;
    EXPECT_EQ(reply->outcome, Outcome::ok);
    EXPECT_EQ(reply->payloads[0].size(), seq == first ? 10U : 20U);
  }
  EXPECT_EQ(session.engine.executed(), (std::vector<std::uint64_t>{first, second}));
  EXPECT_GE(session.client.connections(), 2U);
}

TEST(Reconnect, a_request_that_got_lost_is_done_after_all) {
  Session session;
  session.greet();
  session.proxy.set(Proxy::Mode::swallow);
  const auto seq = session.client.send(batch_with(10));
  std::this_thread::sleep_for(100ms);
  session.proxy.break_off();
  session.proxy.set(Proxy::Mode::pass);
  const auto start = Clock::now();
  ASSERT_TRUE(session.take(seq));
  EXPECT_LT(Clock::now() - start, 3s);
  EXPECT_EQ(session.engine.executed(), std::vector<std::uint64_t>{seq});
}

TEST(Reconnect, connections_that_break_anywhere_lose_nothing_and_change_no_order) {
  Session session;
  session.greet();
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::uint64_t> asked;
  for (int round = 0; round < 60; ++round) {
    const bool is_towards = random() % 2 == 0;
    const long bytes = static_cast<long>(random() % 6'000);
    session.proxy.break_after(is_towards ? bytes : -1, is_towards ? -1 : bytes);
    for (int count = 0; count < 3; ++count)
      asked.push_back(session.client.send(batch_with(random() % 4'000)));
    for (auto seq = asked.end() - 3; seq != asked.end(); ++seq) {
      const auto reply = session.take(*seq);
      ASSERT_TRUE(reply) << "round " << round << " request " << *seq;
      ASSERT_EQ(reply->outcome, Outcome::ok) << reply->message;
    }
  }
  EXPECT_EQ(session.engine.executed(), asked);
  EXPECT_GT(session.client.connections(), 20U);
}

TEST(Reconnect, large_messages_that_break_in_the_middle_arrive_whole) {
  Session session;
  session.greet();
  for (const bool is_towards : {true, false}) {
    session.proxy.break_after(is_towards ? 3'500'000 : -1, is_towards ? -1 : 3'500'000);
    const auto seq = session.client.send(batch_with(5'000'000));
    const auto reply = session.take(seq);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->payloads[0], Bytes(5'000'000, std::byte{5}));
  }
  EXPECT_EQ(session.engine.executed().size(), 2U);
}

TEST(Reconnect, five_seconds_without_network_are_survived) {
  Session session;
  session.greet();
  session.engine.close();
  const auto seq = session.client.send(batch_with(10));
  ASSERT_TRUE(session.engine.wait_until_busy());
  session.proxy.set(Proxy::Mode::swallow);
  std::this_thread::sleep_for(50ms);  // until the proxy has noticed
  session.engine.open();
  EXPECT_FALSE(session.take(seq, 5s));
  session.proxy.set(Proxy::Mode::pass);
  const auto start = Clock::now();
  ASSERT_TRUE(session.take(seq));
  EXPECT_LT(Clock::now() - start, 4s);
  EXPECT_EQ(session.engine.executed(), std::vector<std::uint64_t>{seq});
}

std::string cause_of_loss(Session& session, std::chrono::seconds limit) {
  const auto end = Clock::now() + limit;
  while (!session.client.lost_cause() && Clock::now() < end) std::this_thread::sleep_for(20ms);
  return session.client.lost_cause().value_or("");
}

TEST(Reconnect, a_network_that_stays_away_is_named) {
  Session session;
  session.greet();
  session.proxy.set(Proxy::Mode::swallow);
  const auto start = Clock::now();
  const std::string cause = cause_of_loss(session, 15s);
  EXPECT_LT(Clock::now() - start, 13s);
  EXPECT_NE(cause.find("node2 does not answer since 10 s"), std::string::npos) << cause;
  EXPECT_THROW(session.client.send(batch_with(1)), protocol::Error);
}

TEST(Reconnect, an_engine_that_is_gone_is_told_from_a_network_that_is) {
  auto session = std::make_unique<Session>();
  session->greet();
  protocol::Connection direct = session->engine.connection();
  direct.host = "node2";
  kernel::Client client(direct, {}, "");
  const auto seq = client.send(engine::test::hello(0));
  std::optional<Reply> reply;
  for (int count = 0; count < 50 && !reply; ++count) reply = client.take(seq, 100ms);
  ASSERT_TRUE(reply);
  session.reset();  // nobody waits for a reply, so there is no last word
  const auto start = Clock::now();
  while (!client.lost_cause() && Clock::now() - start < 10s) std::this_thread::sleep_for(20ms);
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_NE(client.lost_cause().value_or("").find("refuses the connection"), std::string::npos)
      << client.lost_cause().value_or("");
}

TEST(Reconnect, the_address_that_answers_is_taken_among_those_that_do_not) {
  Engine engine(engine::Transport::tcp);
  protocol::Connection connection = engine.connection();
  const std::string good = connection.addresses.back();
  connection.addresses = {"tcp://192.0.2.1:9", "tcp://127.0.0.1:1", good};  // nowhere; refused
  const auto start = Clock::now();
  kernel::Client client(connection, {}, "");
  const auto seq = client.send(engine::test::hello(0));
  std::optional<Reply> reply;
  for (int count = 0; count < 50 && !reply; ++count) reply = client.take(seq, 100ms);
  EXPECT_TRUE(reply);
  EXPECT_LT(Clock::now() - start, 2s);
  EXPECT_EQ(client.route(), "direct " + good);
}

TEST(Reconnect, another_key_is_called_that) {
  Engine engine(engine::Transport::tcp);
  protocol::Connection connection = engine.connection();
  char public_key[41], secret_key[41];
  zmq_curve_keypair(public_key, secret_key);
  connection.client_public = public_key;
  connection.client_secret = secret_key;
  kernel::Client client(connection, {}, "");
  const auto start = Clock::now();
  while (!client.lost_cause() && Clock::now() - start < 10s) std::this_thread::sleep_for(20ms);
  EXPECT_NE(client.lost_cause().value_or("").find("turns our key away"), std::string::npos)
      << client.lost_cause().value_or("");
  EXPECT_LT(Clock::now() - start, 4s);
}

TEST(Reconnect, replies_are_kept_no_longer_than_needed) {
  Session session;
  session.greet();
  for (int count = 0; count < 300; ++count) ASSERT_TRUE(session.take(session.client.send(batch_with(100))));
  std::this_thread::sleep_for(1500ms);  // a heartbeat says that all has arrived
  const auto reply = session.take(session.client.send(protocol::StatusRequest{}));
  ASSERT_TRUE(reply);
  const auto status = nlohmann::json::parse(reply->info);
  EXPECT_EQ(status["server"]["clients"], 1);
  EXPECT_LE(status["server"]["kept_replies"].get<int>(), 1);
  EXPECT_LT(status["server"]["kept_bytes"].get<int>(), 10'000);
}

TEST(Reconnect, a_client_that_ends_leaves_nothing_behind) {
  Session session;
  for (int count = 0; count < 3; ++count) {  // each ends before a heartbeat is due
    kernel::Client brief(session.engine.connection(), {}, "");
    const auto seq = brief.send(batch_with(5'000'000));
    std::optional<Reply> reply;
    for (int tries = 0; tries < 50 && !reply; ++tries) reply = brief.take(seq, 100ms);
    ASSERT_TRUE(reply);
  }
  nlohmann::json status;
  for (int tries = 0; tries < 20; ++tries) {  // the last words may still be under way
    const auto reply = session.take(session.client.send(protocol::StatusRequest{}));
    ASSERT_TRUE(reply);
    status = nlohmann::json::parse(reply->info);
    if (status["server"]["kept_bytes"].get<int>() < 10'000) break;
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_LT(status["server"]["kept_bytes"].get<int>(), 10'000);
  EXPECT_EQ(status["server"]["clients"], 4);
}

TEST(Reconnect, heartbeats_ask_no_other_rank_and_status_does) {
  Session session;
  session.greet();
  std::this_thread::sleep_for(2500ms);
  EXPECT_EQ(nlohmann::json::parse(session.client.last_status())["steps_done"], 3);
  EXPECT_EQ(session.engine.collections(), 0);
  const auto reply = session.take(session.client.send(protocol::StatusRequest{}));
  ASSERT_TRUE(reply);
  EXPECT_EQ(nlohmann::json::parse(reply->info)["batches"], 7);
  EXPECT_EQ(session.engine.collections(), 1);
}

/// A port that takes so many connections and says nothing.
struct Mute {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string address;
  sockaddr_in place{};
  explicit Mute(int backlog = 16) {
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    EXPECT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&place), size), 0);
    EXPECT_EQ(listen(listener, backlog), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&place), &size), 0);
    address = "tcp://127.0.0.1:" + std::to_string(ntohs(place.sin_port));
  }
  ~Mute() { close(listener); }
};

TEST(Channel, waits_for_a_handshake_without_looking_all_the_time) {
  Engine engine(engine::Transport::tcp);
  const Mute mute;
  protocol::Connection connection = engine.connection();
  connection.addresses = {mute.address};
  kernel::Channel channel(connection, {}, "");
  int looks = 0;
  for (const auto end = Clock::now() + 5s; Clock::now() < end;
       ++looks) {  // the attempt has three seconds, a handshake ten
    channel.wait(1s);
    EXPECT_FALSE(channel.next_event());
  }
  EXPECT_LT(looks, 60);
  EXPECT_EQ(channel.failed_rounds(), 0);
}

TEST(Channel, does_not_wait_with_what_nobody_takes) {
  Engine engine(engine::Transport::tcp);
  Proxy proxy(port_of(engine.connection().addresses.back()));
  kernel::Channel channel(through(proxy, engine.connection()), {}, "");
  for (int turn = 0; turn < 200 && !channel.takes_messages(); ++turn) {
    channel.wait(50ms);
    channel.next_event();
  }
  ASSERT_TRUE(channel.takes_messages());
  proxy.set(Proxy::Mode::swallow);
  proxy.break_off();
  const auto frames =
      std::make_shared<const protocol::Frames>(protocol::encode(protocol::Request{engine::test::hello(1)}));
  const auto end = Clock::now() + 10s;
  bool is_sent = true;
  while ((is_sent = channel.send(frames)) && Clock::now() < end) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(is_sent) << "the connection has gone, and the channel has not been told by next_event()";
}

TEST(Channel, asks_all_addresses_that_are_closed_at_once) {
  const Mute deaf(0), mute;
  std::vector<int> callers;  // its queue is full: the next are not answered, as by a host that is gone
  for (int count = 0; count < 4; ++count) {
    callers.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    connect(callers.back(), reinterpret_cast<const sockaddr*>(&deaf.place), sizeof deaf.place);
  }
  std::vector<std::string> addresses(8, deaf.address);
  addresses.push_back("tcp://127.0.0.1:1");
  addresses.push_back(mute.address);
  addresses.push_back("ipc:///nowhere/socket");
  addresses.push_back("tcp://nonsense");
  const auto start = Clock::now();
  const auto answers = kernel::probe(addresses);
  EXPECT_LT(Clock::now() - start, 800ms);  // 0.2 s each would be 1.6
  for (const int each : callers) close(each);
  ASSERT_EQ(answers.size(), addresses.size());
  EXPECT_TRUE(answers[8].is_nobody_there) << answers[8].text;
  EXPECT_NE(answers[9].text.find("took the connection"), std::string::npos) << answers[9].text;
  EXPECT_TRUE(answers[10].is_nobody_there) << answers[10].text;
  EXPECT_FALSE(answers[11].is_nobody_there);
  EXPECT_NE(answers[7].text.find("does not answer"), std::string::npos) << answers[7].text;
}

TEST(Reconnect, two_threads_that_send_keep_their_numbers_in_order) {
  Session session;
  session.greet();
  std::vector<std::uint64_t> seqs[2];
  {
    std::vector<std::jthread> threads;
    for (auto& own : seqs)
      threads.emplace_back([&session, &own] {
        for (int count = 0; count < 20; ++count) own.push_back(session.client.send(batch_with(10)));
      });
  }
  for (const auto& own : seqs)
    for (const auto seq : own) ASSERT_TRUE(session.take(seq)) << seq;
  const auto executed = session.engine.executed();
  EXPECT_EQ(executed.size(), 40U);
  EXPECT_TRUE(std::is_sorted(executed.begin(), executed.end()));
}

}  // namespace
}  // namespace gamelan::connection::test
