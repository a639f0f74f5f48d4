// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's ear and mouth: one thread that owns the ZeroMQ socket, so that a client always gets an answer within
// milliseconds, whatever the ranks compute. Knows messages and who sent them; knows no arrays, no MPI. Used by main.cpp.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/inbox.hpp"
#include "engine/options.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {

/// What the server asks of the engine. All are called on the server's thread, while the main thread may compute: they
/// must be quick, thread-safe and start no MPI call.
struct ServerCallbacks {
  std::function<std::string()> status_json;  ///< JSON object: counters of the session
  std::function<std::string()> hello_info;   ///< JSON object: ranks, memory, versions
  std::function<void(std::uint64_t batch)> cancel;  ///< cut the batch that is being executed
};

class Server {
 public:
  /// A request for the main thread. Every one must be answered by exactly one `reply`, before the next `next`.
  using Incoming = engine::Incoming;

  /// Binds, starts the thread, and writes the connection file: `connection` as given, with addresses and keys filled
  /// in. Throws Error{os} when the directory is open to others or the address cannot be bound.
  /// From here to destruction SIGTERM (Open MPI's, after a rank died; Slurm's scancel) is answered by telling every
  /// waiting client and leaving the process with 143.
  Server(const Options& options, protocol::Connection connection, ServerCallbacks callbacks);
  /// Unlinks the connection file and closes the socket, after what was replied has left (at most 2 s).
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Next request to execute, in order of arrival; nullopt after `timeout`. Main thread only. Costs no CPU.
  std::optional<Incoming> next(std::chrono::milliseconds timeout);
  /// Sends a reply. Main thread only; ends the request that `next` gave.
  void reply(const protocol::Bytes& identity, protocol::Frames frames);
  /// Has the request that `next` gave been cancelled since? Main thread only.
  bool is_cancelled() const;
  /// Seconds since a client was last heard (a well-formed request), or since the start. Suspended time does not count:
  /// a laptop that slept has not lost its client.
  double seconds_since_client() const;
  /// The connection file as it was written.
  const protocol::Connection& connection() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gamelan::engine
