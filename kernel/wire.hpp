// SPDX-License-Identifier: BSD-3-Clause
// The ZeroMQ end of a client: a DEALER to rank 0, its connection events, and a bell. Frames in, frames out; it knows no
// message. By one thread at a time, but for poke(). A signal never makes a call fail.
#pragma once
#include <chrono>
#include <optional>
#include <zmq.hpp>

#include "protocol/codec.hpp"
#include "protocol/connection.hpp"

namespace gamelan::kernel {

class Wire {
 public:
  enum class Event { connected, disconnected };

  /// Connects to the first address that is accepted; says nothing yet. Throws Error{os} when none is, Error{value} when
  /// the connection names none.
  explicit Wire(const protocol::Connection& connection);
  /// What was sent has half a second to leave.
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Waits at most so long for frames, an event or poke(); false when a signal ended the wait.
  bool wait(std::chrono::milliseconds limit);
  /// Ends a wait, now or the next. Any thread.
  void poke() const;
  /// The next message that is there.
  std::optional<protocol::Frames> receive();
  /// A connection that was turned away (a wrong key) takes nothing, and a send would wait for ever.
  bool takes_messages();
  /// Sends without copying; only when takes_messages().
  void send(protocol::Frames frames);
  std::optional<Event> next_event();
  /// Over ipc a closed connection means a dead engine; over tcp it may come back.
  bool is_local() const { return is_local_; }

 private:
  void connect(const protocol::Connection& connection);

  zmq::context_t context_{1};
  zmq::socket_t dealer_{context_, zmq::socket_type::dealer};
  zmq::socket_t events_{context_, zmq::socket_type::pair};
  const int bell_;
  bool is_local_ = true;
};

}  // namespace gamelan::kernel
