// SPDX-License-Identifier: BSD-3-Clause
// One connection to one address: a ZeroMQ DEALER under a routing id of its own, and its state. It connects
// only once. For another connection another Socket is made, so nothing of an old connection can arrive late.
// For one thread at a time.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "protocol/connection.hpp"
#include "protocol/parts.hpp"

namespace gamelan::kernel {

class Socket {
 public:
  enum class State { connecting, shaking_hands, open, closed };

  /// Begins to connect. Throws zmq::error_t when the address is not valid.
  Socket(zmq::context_t& context, const protocol::Connection& connection, const std::string& address,
         const protocol::Bytes& routing_id);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  zmq::socket_t& dealer() { return dealer_; }
  zmq::socket_t& events() { return events_; }
  /// Reads ZeroMQ's events since the last call, and returns the state after them.
  State update();
  State state() const { return state_; }
  /// Why the connection is closed, as far as ZeroMQ says; empty when it gives no other reason than "no
  /// answer".
  const std::string& problem() const { return problem_; }
  const std::string& address() const { return address_; }

  /// Bytes that have arrived, and bytes that the other side's system has acknowledged; over ipc nothing is
  /// known.
  struct Traffic {
    std::uint64_t received = 0, acknowledged = 0;
  };
  Traffic traffic() const;
  /// On destruction, messages that were sent get so long to leave. Without this call they are dropped.
  void linger(int limit_ms) { linger_ms_ = limit_ms; }

 private:
  const std::string address_;
  zmq::socket_t dealer_, events_;
  State state_ = State::connecting;
  std::string problem_;
  int descriptor_ = -1;  // ZeroMQ's own, for asking the system about the open connection
  int linger_ms_ = 0;
};

}  // namespace gamelan::kernel
