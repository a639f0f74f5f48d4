// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's socket for clients. One thread at a time holds the ZeroMQ socket. While the main thread waits for
// work, it is the main thread: so a batch reaches it, and its reply is sent, without waking another thread.
// Once the main thread has computed for a while, it is the standby thread, so that clients get answers soon.
// While clients of this machine use lanes (lanes.hpp), the main thread waits there, and the standby thread
// holds the socket. No arrays and no MPI. Used by engine/process.
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
  /// A request for the main thread. Each must be answered by exactly one reply(), before the next call of
  /// next().
  using Incoming = engine::Incoming;

  /// Binds the socket, starts the standby thread, and writes the connection file: `connection` as given, with
  /// addresses and keys filled in. Throws Error{os} when the directory is open to others or the address
  /// cannot be bound. From now until destruction SIGTERM (sent by Open MPI after a rank died, or by Slurm's
  /// scancel) tells every waiting client and ends the process with exit code 143.
  Server(const Options& options, protocol::Connection connection, ServerCallbacks callbacks);
  /// Deletes the connection file and closes the socket. Replies get at most 2 s to leave.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The next request to execute, in order of arrival; nullopt after `timeout`. Sleeps while it waits. Main
  /// thread only.
  std::optional<Incoming> next(std::chrono::milliseconds timeout);
  /// Sends the reply to the request that next() gave. When that was a batch which has failed or was cut, what
  /// its client has sent behind it in the same epoch is cancelled. Main thread only.
  void reply(protocol::Reply reply);
  /// True when the request that next() gave has been cancelled since. Main thread only.
  bool is_cancelled() const;
  /// Tells every waiting client why no reply will come, and ends the process. Any thread; returns at once.
  void leave(const std::string& why);
  /// Seconds since the last well-formed request of any client, or since the start. Time in which the machine
  /// is suspended does not count.
  double seconds_since_client() const;
  /// After so many of them the engines are to leave; 0: never.
  double idle_limit_s() const;
  /// The memory of the lanes, for the other ranks of this machine; nullopt when there is none.
  std::optional<protocol::LaneOffer> lane_offer() const;
  /// The connection file as it was written.
  const protocol::Connection& connection() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gamelan::engine
