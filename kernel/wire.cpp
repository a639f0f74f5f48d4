// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/wire.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace gamelan::kernel {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;

namespace {

constexpr auto farewell_limit_ms = 500;  // how long a last Shutdown or Batch may still leave the socket

/// What a call on a socket returns, made again when a signal of Python's came in between: nothing has happened then.
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

std::string describe(const zmq::error_t& error) { return std::string("[connect] ZeroMQ: ") + error.what(); }

}  // namespace

Wire::Wire(const protocol::Connection& connection) : bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw Error(ErrorKind::os, std::string("[connect] eventfd: ") + std::strerror(errno));
  try {
    connect(connection);
  } catch (const zmq::error_t& error) {
    close(bell_);
    throw Error(ErrorKind::os, describe(error));
  } catch (...) {
    close(bell_);
    throw;
  }
}

Wire::~Wire() {
  close(bell_);
  dealer_.set(zmq::sockopt::linger, farewell_limit_ms);
}

void Wire::connect(const protocol::Connection& connection) {
  dealer_.set(zmq::sockopt::sndhwm, 0);  // the recorder bounds what is outstanding
  dealer_.set(zmq::sockopt::rcvhwm, 0);
  if (!connection.server_public.empty()) {
    dealer_.set(zmq::sockopt::curve_serverkey, connection.server_public);
    dealer_.set(zmq::sockopt::curve_publickey, connection.client_public);
    dealer_.set(zmq::sockopt::curve_secretkey, connection.client_secret);
  }
  zmq_socket_monitor(dealer_.handle(), "inproc://events", ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED);
  events_.connect("inproc://events");
  if (connection.addresses.empty()) throw Error(ErrorKind::value, "[connect] the connection file names no address");
  // A DEALER connected to several addresses would share its messages among them: the first that is accepted is used.
  std::string problem;
  for (const auto& address : connection.addresses) {
    try {
      dealer_.connect(address);
      is_local_ = address.starts_with("ipc:");
      return;
    } catch (const zmq::error_t& error) {
      problem = describe(error) + " (" + address + ")";
    }
  }
  throw Error(ErrorKind::os, problem);
}

bool Wire::wait(std::chrono::milliseconds limit) {
  zmq::pollitem_t items[] = {
      {dealer_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, bell_, ZMQ_POLLIN, 0}, {events_.handle(), 0, ZMQ_POLLIN, 0}};
  if (zmq_poll(items, 3, limit.count()) < 0) return errno != EINTR;  // the C call: a signal is no exception
  std::uint64_t count = 0;
  if (items[1].revents != 0 && read(bell_, &count, sizeof count) < 0) count = 0;
  return true;
}

void Wire::poke() const {
  const std::uint64_t one = 1;
  // The counter cannot overflow in practice, and a full one wakes the reader as well.
  if (write(bell_, &one, sizeof one) < 0) return;
}

std::optional<Frames> Wire::receive() {
  Frames frames;
  zmq::message_t part;
  if (!undisturbed([&] { return dealer_.recv(part, zmq::recv_flags::dontwait); })) return std::nullopt;
  for (;;) {
    const auto* first = static_cast<const std::byte*>(part.data());
    frames.emplace_back(first, first + part.size());
    if (!part.more() || !undisturbed([&] { return dealer_.recv(part, zmq::recv_flags::none); })) return frames;
  }
}

bool Wire::takes_messages() {
  return (undisturbed([&] { return dealer_.get(zmq::sockopt::events); }) & ZMQ_POLLOUT) != 0;
}

void Wire::send(Frames frames) {
  for (std::size_t index = 0; index < frames.size(); ++index) {
    // Payloads may be tens of megabytes: the message owns the bytes instead of copying them.
    auto owned = std::make_unique<Bytes>(std::move(frames[index]));
    zmq::message_t part(
        owned->data(), owned->size(), [](void*, void* hint) { delete static_cast<Bytes*>(hint); }, owned.get());
    static_cast<void>(owned.release());
    const auto flags = index + 1 == frames.size() ? zmq::send_flags::none : zmq::send_flags::sndmore;
    undisturbed([&] { return dealer_.send(part, flags); });
  }
}

std::optional<Wire::Event> Wire::next_event() {
  zmq::message_t event, address;
  if (!undisturbed([&] { return events_.recv(event, zmq::recv_flags::dontwait); })) return std::nullopt;
  if (!undisturbed([&] { return events_.recv(address, zmq::recv_flags::none); })) return std::nullopt;
  std::uint16_t kind = 0;
  std::memcpy(&kind, event.data(), sizeof kind);
  return kind == ZMQ_EVENT_CONNECTED ? Event::connected : Event::disconnected;
}

}  // namespace gamelan::kernel
