// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's server from its connection file to its last word: where it listens, whom it misses, how it leaves.
#include "tests/engine/server_fixture.hpp"

namespace gamelan::engine::test {
namespace {

/// For so long do the engines wait without a client; they learn it within a few turns.
bool comes_to_be(Engine& engine, double limit_s) {
  for (int count = 0; count < 250 && engine.server().idle_limit_s() != limit_s; ++count)
    std::this_thread::sleep_for(20ms);
  return engine.server().idle_limit_s() == limit_s;
}

TEST(ServerLife, the_connection_file_is_private_complete_and_removed) {
  std::string path;
  {
    Engine engine(Transport::tcp);
    path = engine.path();
    struct stat facts {};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600U);
    const protocol::Connection read = protocol::read_connection(path);
    EXPECT_EQ(read.addresses, engine.connection().addresses);
    EXPECT_EQ(read.client_secret.size(), 40U);
    EXPECT_NE(read.server_public, read.client_public);
    engine.stop();
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(ServerLife, leaves_a_newer_connection_file_alone) {
  Engine engine;
  protocol::Connection newer = engine.connection();
  newer.pid += 1;
  protocol::write_connection(engine.path(), newer);
  engine.stop();
  EXPECT_EQ(protocol::read_connection(engine.path()).pid, newer.pid);
}

TEST(ServerLife, refuses_an_open_directory_and_a_path_too_long_for_a_socket) {
  const std::string directory = make_private_directory();
  const auto refusal = [](const std::string& path) -> std::string {
    Options options;
    options.connection_file = path;
    try {
      Server server(options, connection_template(), {});
    } catch (const protocol::Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::os);
      return error.what();
    }
    return "";
  };
  const std::string deep = directory + "/" + std::string(100, 'd');
  std::filesystem::create_directory(deep);
  chmod(deep.c_str(), 0700);
  EXPECT_NE(refusal(deep + "/c.json").find("too long"), std::string::npos);
  EXPECT_NE(refusal(directory + "/absent/c.json").find("absent"), std::string::npos);
  chmod(directory.c_str(), 0755);
  EXPECT_NE(refusal(directory + "/c.json").find("chmod 700"), std::string::npos);
  std::filesystem::remove_all(directory);
}

TEST(ServerLife, refuses_an_address_it_does_not_have) {
  const std::string directory = make_private_directory();
  Options options;
  options.connection_file = directory + "/c.json";
  options.transport = Transport::tcp;
  options.bind = "192.0.2.1";  // TEST-NET-1
  EXPECT_THROW(Server(options, connection_template(), {}), protocol::Error);
  std::filesystem::remove_all(directory);
}

TEST(ServerLife, waiting_clients_hear_of_the_end) {
  Engine engine;
  Client client(engine.connection());
  engine.close();
  client.send(batch(1));
  ASSERT_TRUE(engine.wait_until_busy());
  client.send(batch(2));
  client.ask(protocol::StatusRequest{3});  // batch 2 is queued now
  client.send(protocol::Shutdown{4});      // cuts batch 1
  std::optional<Reply> reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seq, 1U);
  EXPECT_EQ(reply->outcome, Outcome::cancelled);
  engine.open();
  EXPECT_EQ(client.receive()->seq, 2U);
  EXPECT_EQ(client.receive()->seq, 4U);
  reply = client.ask(batch(5));
  EXPECT_EQ(reply->outcome, Outcome::failed);
  EXPECT_EQ(reply->error, ErrorKind::engine_lost);
}

TEST(ServerLife, knows_when_a_client_was_last_heard) {
  Engine engine;
  Client client(engine.connection());
  std::this_thread::sleep_for(300ms);
  EXPECT_GE(engine.server().seconds_since_client(), 0.3);
  client.send(Frames{Bytes(3, std::byte{1})});  // noise is not a client
  EXPECT_TRUE(client.receive());
  EXPECT_GE(engine.server().seconds_since_client(), 0.3);
  client.ask(protocol::StatusRequest{1});
  EXPECT_LT(engine.server().seconds_since_client(), 0.3);
}

TEST(ServerLife, waits_longer_for_a_client_that_is_only_silent_than_for_one_that_has_gone) {
  for (const auto transport : {Transport::ipc, Transport::tcp}) {
    Engine engine(transport, 0.5);
    EXPECT_EQ(engine.server().idle_limit_s(), 0.5);
    {
      Client client(engine.connection(), Client::Key::right,
                    protocol::routing_id({protocol::random_client_name(), 1}));
      client.ask(protocol::Holding{1, protocol::Holding::Ask::introduce, 7, 600, "", "a test"});
      client.ask(protocol::Heartbeat{2, 0});  // behind it
      EXPECT_TRUE(comes_to_be(engine, 600));
    }
    EXPECT_TRUE(comes_to_be(engine, 0.5));  // it closed its connection while it was heard
  }
}

TEST(ServerLife, waits_as_ever_for_clients_without_arrays) {
  Engine engine(Transport::ipc, 0.5);
  Client client(engine.connection(), Client::Key::right,
                protocol::routing_id({protocol::random_client_name(), 1}));
  client.ask(protocol::Holding{1, protocol::Holding::Ask::introduce, 7, 600, "", "a test"});
  client.ask(protocol::Holding{2, protocol::Holding::Ask::leave, 7, 0, "", ""});
  client.ask(protocol::Heartbeat{3, 0});
  EXPECT_TRUE(comes_to_be(engine, 0.5));
}

TEST(ServerLife, a_connection_that_closes_after_a_silence_was_cut) {
  Engine engine(Transport::ipc, 0.5);
  {
    Client client(engine.connection(), Client::Key::right,
                  protocol::routing_id({protocol::random_client_name(), 1}));
    client.ask(protocol::Holding{1, protocol::Holding::Ask::introduce, 7, 600, "", "a test"});
    std::this_thread::sleep_for(3500ms);
  }
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(engine.server().idle_limit_s(), 600);
}

TEST(ServerLife, cuts_the_batch_of_a_client_that_is_gone) {
  Engine engine(Transport::ipc, 0.5);
  engine.close();
  {
    Client client(engine.connection());
    client.send(batch(9));
    ASSERT_TRUE(engine.wait_until_busy());
  }
  for (int count = 0; count < 100 && engine.executed().empty(); ++count) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(engine.cut(), std::vector<std::uint64_t>{9});
  EXPECT_EQ(engine.executed(), std::vector<std::uint64_t>{9});
}

TEST(ServerLife, an_heir_waits_neither_for_a_client_that_has_ended_nor_for_its_batches) {
  using Ask = protocol::Holding::Ask;
  Engine engine;
  const auto named = [] { return protocol::routing_id({protocol::random_client_name(), 1}); };
  Client earlier(engine.connection(), Client::Key::right, named());
  earlier.ask(protocol::Holding{1, Ask::introduce, 7, 600, "", "a test"});
  engine.close();
  earlier.send(batch(2));
  ASSERT_TRUE(engine.wait_until_busy());
  earlier.send(batch(3));
  earlier.send(protocol::Heartbeat{4, 0});  // behind them
  ASSERT_TRUE(earlier.receive());
  Client heir(engine.connection(), Client::Key::right, named());
  EXPECT_EQ(heir.ask(protocol::Holding{5, Ask::inherit, 8, 7, "1", ""}).error, ErrorKind::timeout)
      << "it was heard";
  EXPECT_TRUE(engine.cut().empty());
  heir.send(protocol::Holding{6, Ask::inherit, 8, 7, "1", "ended"});
  for (int count = 0; count < 100 && engine.executed().size() < 2; ++count) std::this_thread::sleep_for(20ms);
  engine.open();
  ASSERT_TRUE(heir.receive());
  EXPECT_EQ(engine.cut(), std::vector<std::uint64_t>{2});
  EXPECT_EQ(engine.executed(), (std::vector<std::uint64_t>{1, 2, 6})) << "batch 3 is nobody's any more";
}

TEST(ServerLife, idles_without_using_the_processor) {
  const std::string directory = make_private_directory();
  Options options;
  options.connection_file = directory + "/c.json";
  Server server(options, connection_template(), {});
  const auto processor_seconds = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const double before = processor_seconds();
  EXPECT_FALSE(server.next(2s));
  EXPECT_LT(processor_seconds() - before, 0.02);
  std::filesystem::remove_all(directory);
}

/// A server in a process of its own whose main thread takes one request and never comes back.
pid_t fork_stuck_server(const std::string& path, double idle_timeout_s) {
  const pid_t child = fork();
  if (child != 0) return child;
  Options options;
  options.connection_file = path;
  options.idle_timeout_s = idle_timeout_s;
  Server server(options, connection_template(),
                {.heartbeat = [] { return nlohmann::json::object(); },
                 .stopped = [] { return nlohmann::json::object(); },
                 .status = [] { return nlohmann::json::object(); },
                 .hello_info = [] { return std::string("{}"); },
                 .cancel = [](std::uint64_t) {}});
  server.next(20s);
  std::this_thread::sleep_for(20s);
  _exit(0);
}

bool wait_for_file(const std::string& path) {
  for (int count = 0; count < 250 && !std::filesystem::exists(path); ++count)
    std::this_thread::sleep_for(20ms);
  return std::filesystem::exists(path);
}

TEST(ServerLife, leaves_when_the_client_is_gone_and_the_ranks_do_not_come_back) {
  const std::string directory = make_private_directory();
  const std::string path = directory + "/c.json";
  const pid_t child = fork_stuck_server(path, 0.5);
  ASSERT_GT(child, 0);
  ASSERT_TRUE(wait_for_file(path));
  {
    Client client(protocol::read_connection(path));
    client.send(batch(1));
    client.ask(protocol::StatusRequest{2});
  }
  const auto start = std::chrono::steady_clock::now();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 12s);
  EXPECT_EQ(WEXITSTATUS(status), EXIT_FAILURE);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove_all(directory);
}

TEST(ServerLife, sends_a_last_word_on_sigterm) {
  const std::string directory = make_private_directory();
  const std::string path = directory + "/c.json";
  const pid_t child = fork_stuck_server(path, 0);
  ASSERT_GT(child, 0);
  ASSERT_TRUE(wait_for_file(path));
  Client client(protocol::read_connection(path));
  client.send(batch(1));
  client.ask(protocol::StatusRequest{2});
  kill(child, SIGTERM);
  const std::optional<Reply> reply = client.receive();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->seq, 1U);
  EXPECT_EQ(reply->error, ErrorKind::engine_lost);
  EXPECT_NE(reply->message.find("SIGTERM"), std::string::npos);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace gamelan::engine::test
