// SPDX-License-Identifier: BSD-3-Clause
// What is said at rank 0's socket: receives, answers at once what needs no rank, queues the rest in the inbox
// and sends replies. Knows messages and who sent them; no arrays, no MPI, no threads: whoever holds the
// socket calls. Used by server.cpp.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "engine/options.hpp"
#include "engine/serving/clients.hpp"
#include "engine/serving/endpoint.hpp"
#include "engine/serving/inbox.hpp"
#include "engine/serving/status_collector.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {

/// What the server asks of the engine, also while the main thread computes: thread-safe, and no MPI call. All
/// but `status` are called by whoever holds the socket and must be quick.
struct ServerCallbacks {
  std::function<nlohmann::json()> heartbeat;  ///< what rank 0 is doing
  std::function<nlohmann::json()>
      status;  ///< counters of all ranks; may take seconds, on a thread of its own
  std::function<std::string()> hello_info;          ///< JSON object: ranks, memory, versions
  std::function<void(std::uint64_t batch)> cancel;  ///< cut the batch that is being executed
};

/// Makes an eventfd readable. A signal handler may call it.
void ring(int event_fd);

class Listener {
 public:
  /// Binds and fills addresses and keys into `connection`. Throws Error{os}.
  Listener(const Options& options, protocol::Connection connection, ServerCallbacks callbacks);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // By one thread at a time, the holder of the socket.
  /// Waits at most so long for messages, a stranger at the gate or wake(); sends what was posted, then serves
  /// what came. Throws Error{os} when polling fails.
  void serve(std::chrono::milliseconds limit);
  /// Sends what was posted.
  void flush();
  /// Tells everyone who waits for a reply that none will come.
  void refuse_waiting(const std::string& why);
  /// Closes the socket; what was sent has `linger_ms` to leave.
  void close(int linger_ms) { endpoint_.close(linger_ms); }

  // By any thread, at any time.
  /// Ends a wait in serve(), now or the next.
  void wake() { ring(wake_fd_); }
  /// Hands over the reply to a client's request; it leaves with the next serve() or flush().
  void post(const protocol::Bytes& client, std::uint64_t seq, protocol::Frames frames);
  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  const protocol::Connection& connection() const { return connection_; }
  /// Seconds since a well-formed request, or since the start. Suspended time does not count.
  double seconds_since_client() const;
  /// What wake() rings; a signal handler may.
  int wake_fd() const { return wake_fd_; }

 private:
  void receive();
  void dispatch(const protocol::Bytes& routing_id, protocol::Frames frames);
  /// Answers a request that is longer than any may be; `header`: what was kept of it.
  void refuse(const protocol::Bytes& routing_id, const protocol::Frames& header);
  /// A request that is done once, however often it comes; nothing when its reply follows later.
  std::optional<protocol::Reply> take(const protocol::Bytes& client, protocol::Frames frames,
                                      protocol::Request request);
  protocol::Reply greet(const protocol::Hello& hello);
  std::string heartbeat_for(const protocol::Bytes& client) const;
  nlohmann::json describe() const;
  protocol::Reply cancel(const protocol::Bytes& client, const protocol::Cancel& request);
  /// The reply to a request that is done once: kept until the client has it, and sent where the client was
  /// last heard.
  void answer(const protocol::Bytes& client, std::uint64_t seq, protocol::Frames frames);
  void send(const protocol::Bytes& routing_id, const Clients::SharedFrames& frames);
  void note_client();

  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: stands still while the machine is suspended
  protocol::Connection connection_;
  const double idle_timeout_s_;
  const ServerCallbacks callbacks_;
  Endpoint endpoint_;
  Clients clients_;
  std::uint64_t malformed_ = 0;
  const Clock::time_point started_ = Clock::now();
  std::atomic<double> heard_s_{0};
  const int wake_fd_;

  Inbox inbox_{callbacks_.cancel};
  struct Posted {
    protocol::Bytes client;
    std::uint64_t seq;
    protocol::Frames frames;
  };
  std::mutex mutex_;  // guards the outbox
  std::deque<Posted> outbox_;
  StatusCollector collector_;  // last: its thread posts
};

}  // namespace gamelan::engine
