// SPDX-License-Identifier: BSD-3-Clause
// Requests to rank 0 and their replies. The socket (wire.hpp) has one holder at a time: whoever waits for a reply reads it
// himself, so that no other thread need wake; a thread of the client's own looks in now and then and keeps the engines
// awake with heartbeats. Replies are found by sequence number. Knows neither Python nor arrays. Every wait has a limit.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::kernel {

class Wire;  // keeps ZeroMQ's headers out of this one

class Client {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// Opens the wire and starts the thread; says nothing yet. Throws what Wire throws.
  explicit Client(const protocol::Connection& connection);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends a request under a fresh sequence number, which it returns. Never blocks: what the socket does not take now
  /// leaves later, in order.
  /// Throws Error{engine_lost} once the engines are known to be gone.
  std::uint64_t send(protocol::Request request);
  /// Waits at most `limit` for the reply to `seq`; nullopt when it has not come, also after a signal. Throws
  /// Error{engine_lost} when it cannot come any more.
  std::optional<protocol::Reply> take(std::uint64_t seq, Milliseconds limit);
  /// The reply to `seq` is not wanted: dropped when it comes.
  void forget(std::uint64_t seq);
  /// Declares the engines gone, for a reason found elsewhere (the launcher saw them die).
  void lose(const std::string& cause);
  std::optional<std::string> lost_cause() const;
  /// JSON of the newest status reply a heartbeat brought; "{}" before the first.
  std::string last_status() const;

 private:
  void run();
  /// Serves the socket once, after waiting at most `limit` for something to come; false after a signal. What fails here
  /// is the end of the engines for all callers.
  bool serve(Milliseconds limit);
  void beat();
  void send_now();
  /// False when something stays queued because the socket takes nothing now.
  bool send_queued();
  bool has_queued() const;
  void receive_all();
  void watch_connection();
  void set_lost(const std::string& cause);

  std::unique_ptr<Wire> wire_;
  std::mutex holding_;  // of the socket and of what follows; taken before mutex_
  std::chrono::steady_clock::time_point last_heard_, last_beat_;
  std::optional<std::chrono::steady_clock::time_point> disconnected_;

  mutable std::mutex mutex_;  // guards everything below; never held over a socket call
  std::condition_variable arrived_, ending_;
  bool is_read_ = false;  // some caller waits at the socket; the others wait for arrived_
  std::deque<protocol::Frames> queue_;
  std::map<std::uint64_t, protocol::Reply> replies_;
  std::set<std::uint64_t> forgotten_;
  std::uint64_t last_seq_ = 0;
  std::set<std::uint64_t> heartbeats_;  // status requests of our own, not yet answered
  std::string status_ = "{}";
  std::optional<std::string> lost_;
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace gamelan::kernel
