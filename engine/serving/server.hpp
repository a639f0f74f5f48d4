// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's socket for clients. One thread holds the ZeroMQ socket at a time: the main thread while it waits
// for work, so that a batch reaches it and its reply leaves without another thread being woken; a thread of
// the server's own, the standby thread, once the main thread has computed for a while: clients are answered
// soon. Knows no arrays, no MPI. Used by process/rank.cpp.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/options.hpp"
#include "engine/serving/listener.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {

class Server {
 public:
  /// A request for the main thread. Every one must be answered by exactly one `reply`, before the next
  /// `next`.
  using Incoming = engine::Incoming;

  /// Binds, starts the thread, and writes the connection file: `connection` as given, with addresses and keys
  /// filled in. Throws Error{os} when the directory is open to others or the address cannot be bound. From
  /// here to destruction SIGTERM (Open MPI's, after a rank died; Slurm's scancel) is answered by telling
  /// every waiting client and leaving the process with 143.
  Server(const Options& options, protocol::Connection connection, ServerCallbacks callbacks);
  /// Unlinks the connection file and closes the socket, after what was replied has left (at most 2 s).
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Next request to execute, in order of arrival; nullopt after `timeout`. Main thread only. Costs no CPU.
  std::optional<Incoming> next(std::chrono::milliseconds timeout);
  /// Sends a reply. Main thread only; ends the request that `next` gave.
  void reply(const protocol::Bytes& client, protocol::Frames frames);
  /// Has the request that `next` gave been cancelled since? Main thread only.
  bool is_cancelled() const;
  /// Tells every waiting client why no reply will come and ends the process. Any thread; returns at once.
  void leave(const std::string& why);
  /// Seconds since a client was last heard (a well-formed request), or since the start. Suspended time does
  /// not count: a laptop that slept has not lost its client.
  double seconds_since_client() const;
  /// The connection file as it was written.
  const protocol::Connection& connection() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gamelan::engine
