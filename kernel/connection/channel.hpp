// SPDX-License-Identifier: BSD-3-Clause
// The client's end of the connection to rank 0: finds a route, stays with it, and looks for one again when
// the connection is lost. Frames in, frames out; it does not read messages, and resends nothing. For one
// thread at a time, except wake(). A signal never makes a call fail. Only wait() blocks, and next_event() for
// at most 0.2 s after a failed attempt.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/connection/probe.hpp"
#include "kernel/connection/route.hpp"
#include "kernel/connection/socket.hpp"
#include "kernel/connection/tunnel.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::kernel {

using SharedFrames = std::shared_ptr<const protocol::Frames>;

class Channel {
 public:
  enum class Event { connected, disconnected };

  /// Begins to connect by the first route; sends nothing yet. `directory`: a private one, for the sockets of
  /// tunnels. Throws Error{os}, or Error{value} when the connection has no address.
  Channel(const protocol::Connection& connection, std::vector<Route> routes, std::string directory);
  /// Messages that were sent get half a second to leave.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Waits at most `limit` for frames, an event or wake(). False when a signal ended the wait.
  bool wait(std::chrono::milliseconds limit);
  /// Ends the present wait, or the next one. Any thread.
  void wake() const;
  /// The next message that has arrived; nullopt when there is none.
  std::optional<protocol::Frames> receive();
  /// False while there is no connection.
  bool takes_messages();
  /// Sends without copying. Returns false, and sends nothing, when there is no room or no connection.
  bool send(const SharedFrames& frames);
  /// The next event since the last call; nullopt when there is none. Every connection begins with
  /// `connected`. Then what was sent on the connection before must be sent again.
  std::optional<Event> next_event();

  /// The client's name, chosen at random; the same on every connection.
  const protocol::Bytes& name() const { return name_; }
  bool is_open() const { return is_open_; }
  bool has_tunnel() const { return is_open_ && tunnel_ != nullptr; }
  /// Closes the present connection, which is silent, and opens a new one.
  void reconnect();
  /// Closes everything; no connection is tried any more.
  void disconnect();
  /// True over ipc: then a closed connection means that the engine has ended. Other connections may come
  /// back.
  bool is_local() const { return is_local_; }
  /// True when every address of the last attempt refused the connection. Then rank 0 has ended, and the
  /// network works.
  bool is_nobody_there() const { return is_nobody_there_; }
  /// How many times all routes have failed since the last connection.
  int failed_rounds() const { return failed_rounds_; }
  /// The bytes that have moved over the present connection, as far as is known.
  Socket::Traffic traffic() const;
  /// The route in use, as text for the user: "direct tcp://10.0.0.1:5000".
  std::string route() const;
  /// Why the last attempts failed, route by route.
  std::string problem() const;

 private:
  using Clock = std::chrono::steady_clock;
  void begin_attempt();
  void fail_attempt();
  void retire_tunnel();
  std::string describe_failure(Socket& socket, const ProbeAnswer& answer);
  Clock::time_point attempt_limit() const;
  std::string what_it_waits_for(const Socket& socket) const;
  std::optional<Event> look_at_candidates();

  const protocol::Connection connection_;
  const std::vector<Route> routes_;
  const std::string directory_;
  zmq::context_t context_{1};
  const protocol::Bytes name_ = protocol::random_client_name();
  const int wakeup_;
  const bool is_local_;
  std::uint32_t connections_ = 0;

  std::unique_ptr<Tunnel> tunnel_;                // of the route in use or being tried
  std::vector<std::unique_ptr<Socket>> sockets_;  // one when open; while connecting, one for each address
  std::size_t route_ = 0;                         // in use or being tried
  bool is_open_ = false, is_over_ = false, is_nobody_there_ = false;
  Clock::time_point attempt_ends_, next_attempt_;
  bool is_trying_ = false;
  std::size_t failed_attempts_ = 0;
  int failed_rounds_ = 0;
  std::string attempt_problem_;              // of the attempt that is being made
  std::vector<std::string> problems_;        // of the last attempt by each route
  std::vector<zmq::pollitem_t> poll_items_;  // of wait(); kept, because every round trip needs it
};

}  // namespace gamelan::kernel
