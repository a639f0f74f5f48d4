// SPDX-License-Identifier: BSD-3-Clause
// The socket that clients connect to, and who may use it. Over ipc: any process that may enter a private
// directory. Over tcp: a client that has the one CURVE key of the connection file (ZAP, RFC 27). It does not
// read messages. Used by listener.cpp.
#pragma once
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <zmq.hpp>

#include "engine/options.hpp"
#include "protocol/connection.hpp"

namespace gamelan::engine {

/// Makes a call on a socket and returns its result. The call is repeated when a signal interrupts it, because
/// then it has done nothing.
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
  /// Binds a ROUTER and writes its addresses and keys into `connection`. The server's secret key is kept in
  /// this object only. Throws Error{os} when the directory is not private, an address is in use, or a path is
  /// too long for a socket.
  Endpoint(const Options& options, protocol::Connection& connection);

  zmq::socket_t& router() { return router_; }
  zmq::socket_t& gate() { return gate_; }
  /// Readable when a connection was closed, which take_closed() notes.
  zmq::socket_t& events() { return events_; }
  /// Have connections closed since the last call? A process that ends or is killed closes its connections; a
  /// network that is cut does so late, or never.
  bool take_closed();
  /// Answers one question of libzmq's handshake thread: may a client with this key connect? Call it when
  /// gate() is readable.
  void admit_or_deny();
  /// How many connection attempts were refused. The first few are logged, the others only counted.
  std::uint64_t denied() const { return denied_; }
  /// Closes the sockets. Messages that were sent get at most `linger_ms` to leave.
  void close(int linger_ms);

 private:
  void bind_ipc(const Options& options, protocol::Connection& connection);
  void bind_tcp(const Options& options, protocol::Connection& connection);

  zmq::context_t context_{1};
  zmq::socket_t gate_;
  zmq::socket_t router_;
  zmq::socket_t events_;
  std::array<std::byte, 32> client_key_{};
  std::uint64_t denied_ = 0;
};

}  // namespace gamelan::engine
