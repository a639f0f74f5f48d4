// SPDX-License-Identifier: BSD-3-Clause
// The socket that clients reach, and who may speak through it: over ipc whoever may enter a private
// directory, over tcp who holds the one CURVE key of the connection file (ZAP, RFC 27). Knows no message.
// Used by server.cpp only.
#pragma once
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <zmq.hpp>

#include "engine/options.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {

/// What a call on a socket returns, made again when a signal came in between: nothing has happened then.
template <class Call>
auto undisturbed(Call call) {
  for (;;) {
    try {
      return call();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

class Endpoint {
 public:
  /// Binds a ROUTER and writes its addresses and keys into `connection`. The server's secret key never leaves
  /// here. Throws Error{os}: directory not private, address in use, path too long for a socket.
  Endpoint(const Options& options, protocol::Connection& connection);

  zmq::socket_t& router() { return router_; }
  zmq::socket_t& gate() { return gate_; }
  /// Answers one question of libzmq's handshake thread: may this key come in? Call when gate() is readable.
  void admit_or_deny();
  /// How often a stranger was turned away; the first few are logged, the rest only counted.
  std::uint64_t denied() const { return denied_; }
  /// Closes both sockets, waiting at most `linger_ms` for what was sent to leave.
  void close(int linger_ms);

 private:
  void bind_ipc(const Options& options, protocol::Connection& connection);
  void bind_tcp(const Options& options, protocol::Connection& connection);

  zmq::context_t context_{1};
  zmq::socket_t gate_;
  zmq::socket_t router_;
  std::array<std::byte, 32> client_key_{};
  std::uint64_t denied_ = 0;
};

}  // namespace gamelan::engine
