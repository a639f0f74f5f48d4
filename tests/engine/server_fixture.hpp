// SPDX-License-Identifier: BSD-3-Clause
// What the server's tests share: a main thread that can be held busy, and clients with the right key, the
// wrong one and none, on real sockets.
#pragma once
#include "engine/serving/server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>
#include <zmq.hpp>

#include "protocol/ops.hpp"
#include "protocol/parts.hpp"

namespace gamelan::engine::test {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using protocol::Bytes;
using protocol::ErrorKind;
using protocol::Frames;
using protocol::Outcome;
using protocol::Reply;

inline std::string make_private_directory() {
  std::string path = (std::filesystem::temp_directory_path() / "gamelan-server-test-XXXXXX").string();
  if (!mkdtemp(path.data())) throw std::runtime_error("mkdtemp");
  return path;
}

inline protocol::Connection connection_template() {
  protocol::Connection connection;
  connection.session = "test";
  connection.host = "here";
  connection.pid = getpid();
  connection.ranks = 1;
  connection.fingerprint = "0";
  return connection;
}

/// A client as the kernel's: a DEALER with a time limit on everything.
class Client {
 public:
  enum class Key { right, wrong, none };
  /// `routing_id`: a name for the connection; by default ZeroMQ gives it one, and rank 0 takes it for all
  /// that there is.
  explicit Client(const protocol::Connection& connection, Key key = Key::right, const Bytes& routing_id = {})
      : socket_(context_, zmq::socket_type::dealer) {
    if (!routing_id.empty())
      socket_.set(zmq::sockopt::routing_id,
                  std::string(reinterpret_cast<const char*>(routing_id.data()), routing_id.size()));
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::sndhwm, 0);
    socket_.set(zmq::sockopt::sndtimeo, 2000);  // a connection that was turned away takes nothing, ever
    socket_.set(zmq::sockopt::rcvhwm, 0);
    if (!connection.server_public.empty() && key != Key::none) {
      char wrong_public[41], wrong_secret[41];
      zmq_curve_keypair(wrong_public, wrong_secret);
      const bool is_right = key == Key::right;
      socket_.set(zmq::sockopt::curve_serverkey, connection.server_public);
      socket_.set(zmq::sockopt::curve_publickey, is_right ? connection.client_public : wrong_public);
      socket_.set(zmq::sockopt::curve_secretkey, is_right ? connection.client_secret : wrong_secret);
    }
    socket_.connect(connection.addresses.back());
  }
  void send(const Frames& frames) {
    for (std::size_t index = 0; index < frames.size(); ++index) {
      const std::size_t parts = protocol::part_count(frames[index].size());
      for (std::size_t number = 0; number < parts; ++number) {
        const auto part = protocol::part(frames[index], number);
        const bool is_last = index + 1 == frames.size() && number + 1 == parts;
        if (!socket_.send(zmq::const_buffer(part.data(), part.size()),
                          is_last ? zmq::send_flags::none : zmq::send_flags::sndmore))
          return;
      }
    }
  }
  void send(const protocol::Request& request) { send(protocol::encode(request)); }
  std::optional<Reply> receive(std::chrono::milliseconds timeout = 5s) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(timeout.count()));
    protocol::Joiner joiner;
    zmq::message_t part;
    do {
      if (!socket_.recv(part)) return std::nullopt;
      joiner.add({static_cast<const std::byte*>(part.data()), part.size()});
    } while (part.more());
    return protocol::decode_reply(joiner.take());
  }
  Reply ask(const protocol::Request& request) {
    send(request);
    std::optional<Reply> reply = receive();
    if (!reply) throw std::runtime_error("no reply within 5 s");
    EXPECT_EQ(reply->seq, protocol::sequence(request));
    return *reply;
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

inline protocol::Batch batch(std::uint64_t seq) {
  protocol::Batch result;
  result.seq = seq;
  return result;
}

inline protocol::Hello hello(std::uint64_t seq) {
  return {seq, protocol::protocol_version, protocol::fingerprint(), "test"};
}

/// A server with a main thread that answers every batch, as soon as the gate is open.
class Engine {
 public:
  /// `turn`: how long the main thread waits for a request before it looks whether it should stop.
  explicit Engine(Transport transport = Transport::ipc, double idle_timeout_s = 0,
                  std::chrono::milliseconds turn = 20ms)
      : directory_(make_private_directory()), turn_(turn) {
    options_.connection_file = directory_ + "/engine.json";
    options_.transport = transport;
    options_.bind = "127.0.0.1";
    options_.idle_timeout_s = idle_timeout_s;
    server_ = std::make_unique<Server>(
        options_, connection_template(),
        ServerCallbacks{
            .heartbeat =
                [] {
                  return nlohmann::json{{"steps_done", 3}, {"batch", 1}, {"file", "caf\xe9.py"}, {"line", 7}};
                },
            .stopped =
                [] {
                  return nlohmann::json{{"stopped", nlohmann::json::array({{{"rank", 2}}})}};
                },
            .status = [this] { return collect(); },
            .hello_info = [] { return std::string(R"({"ranks": 1})"); },
            .cancel = [this](std::uint64_t seq) { on_cancel(seq); }});
    worker_ = std::thread([this] { work(); });
  }
  ~Engine() {
    open();
    stop();
    std::filesystem::remove_all(directory_);
  }
  /// Ends the main thread and the server, as after a Shutdown.
  void stop() {
    is_stopping_ = true;
    if (worker_.joinable()) worker_.join();
    server_.reset();
  }
  void close() { set_open(false); }
  void open() { set_open(true); }
  /// Collecting the counters of all ranks takes until this is called with false, or five seconds.
  void hold_status(bool is_held) {
    const std::lock_guard lock(mutex_);
    is_status_held_ = is_held;
    changed_.notify_all();
  }
  int collections() {
    const std::lock_guard lock(mutex_);
    return collections_;
  }
  /// Waits until the main thread holds a request and cannot go on.
  bool wait_until_busy() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 5s, [&] { return is_busy_; });
  }
  const protocol::Connection& connection() const { return server_->connection(); }
  Server& server() { return *server_; }
  const std::string& path() const { return options_.connection_file; }
  std::vector<std::uint64_t> executed() { return locked(executed_); }
  std::vector<std::uint64_t> cut() { return locked(cut_); }

 private:
  std::vector<std::uint64_t> locked(const std::vector<std::uint64_t>& list) {
    const std::lock_guard lock(mutex_);
    return list;
  }
  void set_open(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_open_ = is_open;
    changed_.notify_all();
  }
  nlohmann::json collect() {
    std::unique_lock lock(mutex_);
    ++collections_;
    changed_.notify_all();
    changed_.wait_for(lock, 5s, [&] { return !is_status_held_; });
    return {{"batches", 7}};
  }
  void on_cancel(std::uint64_t seq) {
    const std::lock_guard lock(mutex_);
    cut_.push_back(seq);
    changed_.notify_all();
  }
  void work() {
    while (!is_stopping_) {
      std::optional<Server::Incoming> incoming = server_->next(turn_);
      if (!incoming) continue;
      Reply reply;
      reply.seq = protocol::sequence(incoming->request);
      {
        std::unique_lock lock(mutex_);
        is_busy_ = true;
        changed_.notify_all();
        changed_.wait(
            lock, [&] { return is_open_ || std::find(cut_.begin(), cut_.end(), reply.seq) != cut_.end(); });
        is_busy_ = false;
        executed_.push_back(reply.seq);
        if (!is_open_) reply.outcome = Outcome::cancelled;
      }
      if (const auto* asked = std::get_if<protocol::Batch>(&incoming->request))
        reply.payloads = asked->payloads;
      server_->reply(std::move(reply));
    }
  }

  std::string directory_;
  const std::chrono::milliseconds turn_;
  Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true, is_busy_ = false, is_status_held_ = false;
  int collections_ = 0;
  std::vector<std::uint64_t> executed_, cut_;
  std::atomic<bool> is_stopping_{false};
  std::unique_ptr<Server> server_;
  std::thread worker_;
};

}  // namespace gamelan::engine::test
