// SPDX-License-Identifier: BSD-3-Clause
// Serves rank 0's socket: receives requests, answers at once those that need no other rank, queues the others
// in the inbox, and sends replies. It knows messages and clients, but no arrays, no MPI and no threads: it is
// called by the thread that holds the socket. Used by server.cpp.
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

/// What the server needs from the engine, also while the main thread computes. The functions are thread-safe
/// and make no MPI call. All but `status` are called by the thread that holds the socket, and must be quick.
struct ServerCallbacks {
  std::function<nlohmann::json()> heartbeat;  ///< what rank 0 is doing
  std::function<nlohmann::json()> stopped;    ///< who is stopped; added to `heartbeat` amid a long request
  std::function<nlohmann::json()>
      status;  ///< counters of all ranks; may take seconds, called on a thread of its own
  std::function<std::string()> hello_info;          ///< JSON object: ranks, memory, versions
  std::function<void(std::uint64_t batch)> cancel;  ///< cuts the batch that is being executed
};

/// Makes an eventfd readable. A signal handler may call it.
void ring(int event_fd);

class Listener {
 public:
  /// Binds the socket and writes addresses and keys into `connection`. Throws Error{os}.
  Listener(const Options& options, protocol::Connection connection, ServerCallbacks callbacks);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // For one thread at a time, the holder of the socket.
  /// Waits at most `limit` for messages, a client that asks to connect, or wake(). Sends what was posted, and
  /// then serves what came. Throws Error{os} when polling fails.
  void serve(std::chrono::milliseconds limit);
  /// Sends what was posted.
  void flush();
  /// Tells every client that waits for a reply that none will come, and why.
  void refuse_waiting(const std::string& why);
  /// Closes the socket. Messages that were sent get at most `linger_ms` to leave.
  void close(int linger_ms) { endpoint_.close(linger_ms); }

  // For any thread, at any time.
  /// Ends the present wait in serve(), or the next one.
  void wake() { ring(wake_fd_); }
  /// Gives the reply to a client's request. It is sent by the next serve() or flush().
  void post(const protocol::Bytes& client, std::uint64_t seq, protocol::Frames frames);
  /// Queues the requests that clients have written into lanes, as far as the queue takes them.
  void read_lanes();
  Lanes& lanes() { return lanes_; }
  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  const protocol::Connection& connection() const { return connection_; }
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: stands still while the machine is suspended
  /// To be called after a wait: one that ended long after its limit was no silence of the clients.
  void forgive_lateness(Clock::time_point begin, std::chrono::milliseconds limit);
  /// Seconds since a well-formed request, or since the start. Suspended time does not count.
  double seconds_since_client() const;
  /// After so many seconds without a client the engines leave; 0: never. Longer than --idle-timeout while a
  /// client that has arrays is only out of reach, and waits for them.
  double idle_limit_s() const;
  /// The eventfd that wake() rings. A signal handler may ring it, too.
  int wake_fd() const { return wake_fd_; }

 private:
  void receive();
  void dispatch(const protocol::Bytes& routing_id, protocol::Frames frames);
  /// Answers a request that is longer than allowed. `header`: the part of it that was kept.
  void refuse(const protocol::Bytes& routing_id, const protocol::Frames& header);
  /// Queues a request that came by a lane, or writes there why not.
  void admit(Lanes::Message message);
  /// Gives the reply to a request that will not be executed.
  void answer(const Inbox::Waiting& request, protocol::Frames frames);
  /// Takes a request that is done once, however often it comes. Returns nullopt when its reply follows later.
  std::optional<protocol::Reply> take(const protocol::Bytes& client, protocol::Frames frames,
                                      protocol::Request request);
  protocol::Reply greet(const protocol::Hello& hello);
  std::string heartbeat_for(const protocol::Bytes& client) const;
  /// What the status says of this server; of the clients besides `asker` those that live.
  nlohmann::json describe(const protocol::Bytes& asker) const;
  /// Queues a request about who holds arrays, as Inbox::admit does, and notes whose arrays a client's are.
  std::optional<protocol::Reply> admit_holding(const protocol::Bytes& client, const protocol::Holding& told,
                                               Incoming incoming);
  /// Clients that were silent for longer than the lease lose their arrays: in the order of all requests.
  void end_leases();
  protocol::Reply cancel(const protocol::Bytes& client, const protocol::Cancel& request);
  /// Keeps the reply to a request that is done once until the client has confirmed it, and sends it to the
  /// client's newest connection.
  void answer(const protocol::Bytes& client, std::uint64_t seq, protocol::Frames frames);
  void send(const protocol::Bytes& routing_id, const Clients::SharedFrames& frames);
  void note_client();
  void watch_connections();

  protocol::Connection connection_;
  const double idle_timeout_s_, lease_s_;
  const bool has_lanes_;
  const ServerCallbacks callbacks_;
  Endpoint endpoint_;
  Clients clients_;
  std::atomic<std::uint64_t> malformed_{0};
  const Clock::time_point started_ = Clock::now();
  std::atomic<double> heard_s_{0};
  std::atomic<double> patience_s_{0};  // of the clients that have arrays
  const int wake_fd_;

  Lanes lanes_;
  std::mutex lanes_mutex_;  // requests of lanes enter the queue in the order in which they are read
  Inbox inbox_{callbacks_.cancel};
  struct Posted {
    protocol::Bytes client;
    std::uint64_t seq;
    protocol::Frames frames;
  };
  std::mutex mutex_;  // guards the outbox
  std::deque<Posted> outbox_;
  StatusCollector collector_;  // last member, because its thread calls post()
};

}  // namespace gamelan::engine
