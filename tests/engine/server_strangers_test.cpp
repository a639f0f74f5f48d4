// SPDX-License-Identifier: BSD-3-Clause
// The server against what should not have been sent: malformed and fuzzed messages, wrong keys, no key.
#include "tests/engine/fuzzed_requests.hpp"
#include "tests/engine/server_fixture.hpp"

namespace gamelan::engine::test {
namespace {

TEST(Server, answers_malformed_frames_with_their_sequence_and_goes_on) {
  Engine engine;
  Client client(engine.connection());
  Frames truncated = protocol::encode(batch(77));
  truncated.resize(1);
  client.send(truncated);
  std::optional<Reply> reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seq, 77U);
  EXPECT_EQ(reply->outcome, Outcome::failed);
  EXPECT_EQ(reply->error, ErrorKind::protocol);
  client.send(Frames{Bytes()});
  reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->outcome, Outcome::failed);
  client.send(Frames(protocol::max_frames + 2, Bytes(1)));
  reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->outcome, Outcome::failed);
  Frames endless =
      protocol::encode(protocol::Request{protocol::Heartbeat{79, 0}});  // which would do by itself
  endless.resize(protocol::max_frames + 2, Bytes(1));
  client.send(endless);
  reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seq, 79U);
  EXPECT_NE(reply->message.find("too long"), std::string::npos) << reply->message;
  EXPECT_EQ(client.ask(batch(78)).outcome, Outcome::ok);
  EXPECT_EQ(engine.executed(), std::vector<std::uint64_t>{78});
}

TEST(Server, survives_ten_thousand_fuzzed_messages_on_the_live_socket) {
  const std::uint32_t seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  Engine engine;
  Client client(engine.connection());
  for (int sent = 0; sent < 10'000; sent += 50) {
    for (int count = 0; count < 50; ++count) client.send(fuzzed(random));
    for (int count = 0; count < 50; ++count)
      ASSERT_TRUE(client.receive()) << "seed " << seed << " near message " << sent;
  }
  EXPECT_FALSE(client.receive(50ms)) << "more replies than requests, seed " << seed;
  EXPECT_EQ(client.ask(batch(5000)).outcome, Outcome::ok) << "seed " << seed;
}

TEST(Server, strangers_get_no_reply_over_tcp) {
  Engine engine(Transport::tcp);
  Client friendly(engine.connection()), wrong(engine.connection(), Client::Key::wrong),
      plain(engine.connection(), Client::Key::none);
  EXPECT_EQ(friendly.ask(hello(1)).outcome, Outcome::ok);
  wrong.send(hello(2));
  plain.send(hello(3));
  EXPECT_FALSE(wrong.receive(700ms));
  EXPECT_FALSE(plain.receive(700ms));
  const nlohmann::json info = nlohmann::json::parse(friendly.ask(protocol::StatusRequest{4}).info);
  EXPECT_GE(info["server"]["denied"].get<int>(), 1);
  EXPECT_EQ(info["server"]["malformed"], 0);
}

TEST(Server, many_strangers_cost_a_bounded_log) {
  testing::internal::CaptureStderr();
  {
    Engine engine(Transport::tcp);
    for (int count = 0; count < 40; ++count) {
      Client wrong(engine.connection(), Client::Key::wrong);
      wrong.send(hello(2));
      wrong.receive(40ms);
    }
    Client friendly(engine.connection());
    const nlohmann::json info = nlohmann::json::parse(friendly.ask(protocol::StatusRequest{4}).info);
    EXPECT_GE(info["server"]["denied"].get<int>(), 20);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 12) << log;
}

}  // namespace
}  // namespace gamelan::engine::test
