// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/socket.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>

#include "kernel/connection/undisturbed.hpp"

namespace gamelan::kernel {
namespace {

constexpr int watched_events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED |
                               ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED |
                               ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                               ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
constexpr int no_reconnect = -1;

std::string monitor_name() {
  static std::atomic<std::uint64_t> count{0};
  return "inproc://socket-" + std::to_string(count.fetch_add(1));
}

}  // namespace

Socket::Socket(zmq::context_t& context, const protocol::Connection& connection, const std::string& address,
               const protocol::Bytes& routing_id)
    : address_(address),
      dealer_(context, zmq::socket_type::dealer),
      events_(context, zmq::socket_type::pair) {
  dealer_.set(zmq::sockopt::routing_id,
              std::string(reinterpret_cast<const char*>(routing_id.data()), routing_id.size()));
  dealer_.set(zmq::sockopt::sndhwm, 0);  // the recorder bounds what is outstanding
  dealer_.set(zmq::sockopt::rcvhwm, 0);
  dealer_.set(zmq::sockopt::linger, 0);
  dealer_.set(zmq::sockopt::reconnect_ivl, no_reconnect);
  dealer_.set(zmq::sockopt::maxmsgsize, protocol::max_socket_part_bytes);
  if (!connection.server_public.empty()) {
    dealer_.set(zmq::sockopt::curve_serverkey, connection.server_public);
    dealer_.set(zmq::sockopt::curve_publickey, connection.client_public);
    dealer_.set(zmq::sockopt::curve_secretkey, connection.client_secret);
  }
  const std::string name = monitor_name();
  if (zmq_socket_monitor(dealer_.handle(), name.c_str(), watched_events) != 0) throw zmq::error_t();
  events_.set(zmq::sockopt::linger, 0);
  events_.connect(name);
  dealer_.connect(address);
}

Socket::~Socket() {
  zmq_socket_monitor(dealer_.handle(), nullptr, 0);
  dealer_.set(zmq::sockopt::linger, state_ == State::open ? linger_ms_ : 0);
}

Socket::State Socket::update() {
  for (;;) {
    zmq::message_t event, from;
    if (!undisturbed([&] { return events_.recv(event, zmq::recv_flags::dontwait); })) return state_;
    if (!undisturbed([&] { return events_.recv(from, zmq::recv_flags::none); })) return state_;
    std::uint16_t kind = 0;
    std::int32_t value = 0;
    if (event.size() < sizeof kind + sizeof value) continue;
    std::memcpy(&kind, event.data(), sizeof kind);
    std::memcpy(&value, static_cast<const char*>(event.data()) + sizeof kind, sizeof value);
    if (state_ == State::closed) continue;
    switch (kind) {
      case ZMQ_EVENT_CONNECTED:
        state_ = State::shaking_hands;
        descriptor_ = value;
        break;
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        state_ = State::open;
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        problem_ = "turns our key away: the connection file belongs to other engines";
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        problem_ = "is not these engines: somebody else listens there, or they have other keys";
        break;
      default:  // closed, disconnected, or waiting for ZeroMQ's own reconnection, which is off
        state_ = State::closed;
    }
  }
}

Socket::Traffic Socket::traffic() const {
  if (state_ != State::open || !address_.starts_with("tcp:")) return {};
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  return {info.tcpi_bytes_received, info.tcpi_bytes_acked};
}

}  // namespace gamelan::kernel
