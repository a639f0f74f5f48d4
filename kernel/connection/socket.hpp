// SPDX-License-Identifier: BSD-3-Clause
// One connection to one address: a DEALER under a name of its own, and what became of it. Never connects
// twice: who wants another connection makes another one, so that nothing of the old one can arrive late. By
// one thread at a time.
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

  /// Begins to connect. Throws zmq::error_t when the address is none.
  Socket(zmq::context_t& context, const protocol::Connection& connection, const std::string& address,
         const protocol::Bytes& routing_id);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  zmq::socket_t& dealer() { return dealer_; }
  zmq::socket_t& events() { return events_; }
  /// Takes in what has happened since; the state that led to.
  State update();
  State state() const { return state_; }
  /// Why it is closed, as far as ZeroMQ says: empty when it has no reason beyond "nobody there".
  const std::string& problem() const { return problem_; }
  const std::string& address() const { return address_; }

  /// What has come in, and what the other side's system has acknowledged, in bytes; nothing known over ipc.
  struct Traffic {
    std::uint64_t received = 0, acknowledged = 0;
  };
  Traffic traffic() const;
  /// On destruction what was sent has so long to leave; else nothing of it leaves.
  void linger(int limit_ms) { linger_ms_ = limit_ms; }

 private:
  const std::string address_;
  zmq::socket_t dealer_, events_;
  State state_ = State::connecting;
  std::string problem_;
  int descriptor_ = -1;  // ZeroMQ's own, to ask the system about it while the connection is open
  int linger_ms_ = 0;
};

}  // namespace gamelan::kernel
