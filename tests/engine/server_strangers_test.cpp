// SPDX-License-Identifier: BSD-3-Clause
// The server against what should not have been sent: malformed and fuzzed messages, wrong keys, no key.
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
  EXPECT_EQ(client.ask(batch(78)).outcome, Outcome::ok);
  EXPECT_EQ(engine.executed(), std::vector<std::uint64_t>{78});
}

/// One to three random mutations of a valid request, or plain noise.
Frames fuzzed(std::mt19937& random) {
  const auto below = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  const auto noise = [&](std::size_t most) {
    Bytes bytes(below(most));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(256));
    return bytes;
  };
  if (below(5) == 0) {
    Frames frames(1 + below(4));
    for (Bytes& frame : frames) frame = noise(200);
    return frames;
  }
  protocol::Batch full = batch(below(1000));
  full.frees = {1, 2, 3};
  full.fetches = {protocol::whole(5, protocol::Dtype::float64, {4, 4})};
  full.origins = {{"cell", 3}};
  full.payloads = {noise(64)};
  protocol::Command command;
  command.op = protocol::Op::add;
  command.out = protocol::whole(6, protocol::Dtype::int8, {3});
  command.in = {protocol::whole(5, protocol::Dtype::float64, {3}), protocol::Scalar{}};
  full.commands = {command};
  const protocol::Request kinds[] = {full, protocol::Configure{below(9), {{"verify", "1"}}}, hello(1),
                                     protocol::StatusRequest{2}, protocol::Cancel{3, 1}};
  Frames frames = protocol::encode(kinds[below(std::size(kinds))]);
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    Bytes& frame = frames[below(frames.size())];
    switch (below(5)) {
      case 0: frame.resize(below(frame.size() + 1)); break;
      case 1: { const Bytes more = noise(20); frame.insert(frame.end(), more.begin(), more.end()); break; }
      case 2: frames.push_back(noise(30)); break;
      case 3: frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(below(frames.size()))); break;
      default: if (!frame.empty()) frame[below(frame.size())] = static_cast<std::byte>(below(256));
    }
    if (frames.empty()) frames.emplace_back();
  }
  return frames;
}

TEST(Server, survives_ten_thousand_fuzzed_messages_on_the_live_socket) {
  const std::uint32_t seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  Engine engine;
  Client client(engine.connection());
  for (int sent = 0; sent < 10'000; sent += 50) {
    for (int count = 0; count < 50; ++count) client.send(fuzzed(random));
    for (int count = 0; count < 50; ++count) ASSERT_TRUE(client.receive()) << "seed " << seed << " near message " << sent;
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
