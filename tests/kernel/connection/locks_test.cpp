// SPDX-License-Identifier: BSD-3-Clause
// The door of rank 0 over TCP, and who rattles at it: scanners, people with another key, players of
// recordings, senders of nonsense with the right key. Nobody gets an answer that is not his, and the engine
// neither grows nor stops.
#include <gtest/gtest.h>

#include "kernel/connection/channel.hpp"
#include "kernel/connection/client.hpp"
#include "tests/engine/fuzzed_requests.hpp"
#include "tests/engine/server_fixture.hpp"
#include "tests/fuzz_count.hpp"
#include "tests/kernel/connection/strangers.hpp"

namespace gamelan::connection::test {
namespace {

using engine::test::Client;
using engine::test::Engine;
using protocol::Outcome;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::size_t greeting_bytes = 64;

int port_of(const Engine& engine) {
  const std::string& address = engine.connection().addresses.back();
  return std::stoi(address.substr(address.rfind(':') + 1));
}

long open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

/// AddressSanitizer keeps what is freed for a while, at most 256 MiB and what it writes around them.
long growth_kib(long mebibytes) { return (mebibytes + (GAMELAN_IS_SANITIZED ? 384 : 0)) * 1024; }

void expect_alive(Engine& engine) {
  Client client(engine.connection());
  EXPECT_EQ(client.ask(engine::test::batch(1)).outcome, Outcome::ok);
}

TEST(Locks, a_scanner_hears_a_greeting_and_nothing_else) {
  testing::internal::CaptureStderr();
  {
    Engine engine(engine::Transport::tcp);
    const int port = port_of(engine);
    const std::uint32_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::string noise(2'000, '\0');
    for (char& letter : noise) letter = static_cast<char>(random());
    const std::string curve = greeting("CURVE");
    const std::string said[] = {"",
                                "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                noise,
                                curve.substr(0, 5),
                                curve.substr(0, 33),
                                curve,
                                greeting("NULL"),
                                greeting("PLAIN"),
                                greeting("NULL") + std::string("\4\x19\5READY", 8),
                                curve + std::string("\4\x06\5HELLO", 8),
                                curve + std::string("\4\xc8\5HELLO", 8) + std::string(300, 'x'),
                                curve + noise,
                                "SSH-2.0-scan\r\n",
                                std::string("\x16\x03\x01\x02\x00\x01", 6) + noise};
    for (const std::string& bytes : said) {
      Stranger stranger(port);
      ASSERT_TRUE(stranger.is_connected());
      stranger.say(bytes);
      EXPECT_LE(stranger.hear().size(), greeting_bytes) << "after " << bytes.substr(0, 80);
    }
    expect_alive(engine);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 2) << log;
}

TEST(Locks, whoever_connects_and_is_silent_is_dropped) {
  Engine engine(engine::Transport::tcp);
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int count = 0; count < 100; ++count) strangers.push_back(std::make_unique<Stranger>(port_of(engine)));
  expect_alive(engine);
  for (auto& stranger : strangers) stranger->hear(8'000);
  EXPECT_EQ(
      std::count_if(strangers.begin(), strangers.end(), [](const auto& each) { return each->is_closed(); }),
      100);
  expect_alive(engine);
}

TEST(Locks, a_stranger_cannot_make_the_engine_hold_what_he_sends) {
  Engine engine(engine::Transport::tcp);
  expect_alive(engine);
  const long before = resident_kib();
  const std::string megabyte(1 << 20, 'x');
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int count = 0; count < 8; ++count) {
    auto& stranger = *strangers.emplace_back(std::make_unique<Stranger>(port_of(engine)));
    stranger.say(greeting("CURVE"));
    stranger.hear(50);
    bool is_taken = stranger.say(long_command(std::uint64_t{2} << 30, megabyte));
    for (int more = 0; is_taken && more < 100; ++more) is_taken = stranger.say(megabyte);
    EXPECT_FALSE(is_taken) << "a hundred megabytes were taken from a stranger";
  }
  EXPECT_LT(resident_kib() - before, growth_kib(40));
  expect_alive(engine);
}

TEST(Locks, a_thousand_attempts_cost_no_memory_and_no_descriptors) {
  Engine engine(engine::Transport::tcp);
  const int port = port_of(engine);
  const auto rattle = [&](int times) {
    for (int count = 0; count < times; ++count) {
      Stranger stranger(port);
      stranger.say(count % 2 == 0 ? greeting("CURVE") + std::string(200, 'x') : std::string(100, 'y'));
      stranger.hear(1);
    }
  };
  rattle(200);
  std::this_thread::sleep_for(300ms);
  const long before = resident_kib(), descriptors = open_descriptors();
  rattle(1'000);
  std::this_thread::sleep_for(1s);
  EXPECT_LE(open_descriptors(), descriptors + 5);
  EXPECT_LT(resident_kib() - before, growth_kib(16));
  expect_alive(engine);
}

TEST(Locks, more_strangers_than_descriptors_pass_by) {
  const std::string directory = engine::test::make_private_directory();
  const std::string path = directory + "/engine.json";
  const pid_t child = fork();
  if (child == 0) {  // an engine that may have few descriptors; this process may have more
    rlimit few{64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
    engine::Options options;
    options.connection_file = path;
    options.transport = engine::Transport::tcp;
    options.bind = "127.0.0.1";
    options.idle_timeout_s = 0;
    engine::Server server(options, engine::test::connection_template(),
                          {.heartbeat = [] { return nlohmann::json::object(); },
                           .stopped = [] { return nlohmann::json::object(); },
                           .status = [] { return nlohmann::json::object(); },
                           .hello_info = [] { return std::string("{}"); },
                           .cancel = [](std::uint64_t) {}});
    server.next(60s);
    _exit(0);
  }
  for (int count = 0; count < 250 && !std::filesystem::exists(path); ++count)
    std::this_thread::sleep_for(20ms);
  const protocol::Connection connection = protocol::read_connection(path);
  const std::string& address = connection.addresses.back();
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int count = 0; count < 150; ++count)
    strangers.push_back(std::make_unique<Stranger>(std::stoi(address.substr(address.rfind(':') + 1))));
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the engine died of them";
  strangers.clear();
  kernel::Client client(connection, {}, "");
  const auto seq = client.send(engine::test::hello(0));
  std::optional<protocol::Reply> reply;
  for (int count = 0; count < 150 && !reply && !client.lost_cause(); ++count) reply = client.take(seq, 100ms);
  EXPECT_TRUE(reply);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::filesystem::remove_all(directory);
}

TEST(Locks, a_recorded_session_cannot_be_played_again) {
  Engine engine(engine::Transport::tcp);
  std::vector<std::string> recorded;
  {
    Proxy proxy(port_of(engine));
    protocol::Connection connection = engine.connection();
    connection.addresses = {"tcp://127.0.0.1:" + std::to_string(proxy.port())};
    Client client(connection);
    EXPECT_EQ(client.ask(engine::test::hello(1)).outcome, Outcome::ok);
    for (std::uint64_t seq = 2; seq < 6; ++seq)
      EXPECT_EQ(client.ask(engine::test::batch(seq)).outcome, Outcome::ok);
    recorded = proxy.recorded();
  }
  ASSERT_EQ(recorded.size(), 1U);
  ASSERT_GT(recorded[0].size(), 1'000U);
  const auto executed = engine.executed();
  for (const std::size_t step : {recorded[0].size(), std::size_t{100}, std::size_t{1}}) {
    Stranger player(port_of(engine));
    std::string heard;
    const std::string& all = recorded[0];
    for (std::size_t at = 0; at < all.size() && player.say(all.substr(at, step)); at += step)
      if (step < all.size() && at < 700) heard += player.hear(1);
    heard += player.hear(500);
    // ZMTP's greeting, and WELCOME: it is encrypted for whoever said HELLO first, and its cookie is a new
    // one.
    EXPECT_LE(heard.size(), greeting_bytes + 170);
  }
  EXPECT_EQ(engine.executed(), executed);
  const nlohmann::json status =
      nlohmann::json::parse(Client(engine.connection()).ask(protocol::StatusRequest{9}).info);
  EXPECT_EQ(status["server"]["malformed"], 0);
}

TEST(Locks, a_recording_cut_off_anywhere_is_no_message) {
  Engine engine(engine::Transport::tcp);
  Proxy proxy(port_of(engine));
  protocol::Connection connection = engine.connection();
  connection.addresses = {"tcp://127.0.0.1:" + std::to_string(proxy.port())};
  for (long cut = 1; cut < 900; cut += 37) {
    proxy.break_after(cut, -1);
    Client client(connection);
    client.send(engine::test::hello(1));
    client.receive(20ms);
  }
  proxy.break_after(-1, -1);
  const nlohmann::json status =
      nlohmann::json::parse(Client(engine.connection()).ask(protocol::StatusRequest{9}).info);
  EXPECT_EQ(status["server"]["malformed"], 0);
  EXPECT_TRUE(engine.executed().empty());
}

TEST(Locks, nonsense_with_the_right_key_neither_stops_nor_fattens_the_engine) {
  const int total = gamelan::test::fuzz_count(20'000);
  constexpr int in_flight = 200;
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Engine engine(engine::Transport::tcp);
  Client client(engine.connection());
  long before = 0;
  for (int sent = 0; sent < total; sent += in_flight) {
    for (int count = 0; count < in_flight; ++count) client.send(engine::test::fuzzed(random));
    for (int count = 0; count < in_flight; ++count) ASSERT_TRUE(client.receive()) << "near message " << sent;
    if (sent >= total / 10 && before == 0) before = resident_kib();
  }
  EXPECT_FALSE(client.receive(50ms)) << "more replies than requests";
  EXPECT_LT(resident_kib() - before, growth_kib(24));
  EXPECT_EQ(client.ask(engine::test::batch(5'000)).outcome, Outcome::ok);
}

TEST(Locks, nonsense_about_numbers_and_names_of_connections_stays_bounded) {
  const int total = gamelan::test::fuzz_count(300);
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Engine engine(engine::Transport::tcp);
  for (int round = 0; round < total; ++round) {
    protocol::Bytes name = protocol::random_client_name();
    Client client(engine.connection(), Client::Key::right,
                  protocol::routing_id({name, static_cast<std::uint32_t>(random())}));
    protocol::Batch batch = engine::test::batch(random() % 5);
    batch.heard = random() % 3 == 0 ? ~std::uint64_t{0} : random() % 7;
    client.send(batch);
    client.send(batch);
    ASSERT_TRUE(client.receive());
    client.send(protocol::Heartbeat{random() % 9, random()});
    ASSERT_TRUE(client.receive());
  }
  const nlohmann::json status =
      nlohmann::json::parse(Client(engine.connection()).ask(protocol::StatusRequest{9}).info);
  EXPECT_LE(status["server"]["clients"].get<int>(), 256);
}

}  // namespace
}  // namespace gamelan::connection::test
