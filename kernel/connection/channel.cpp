// SPDX-License-Identifier: BSD-3-Clause
// Connecting is a series of attempts: one route at a time, all its addresses at once, each attempt with a
// time limit. The connection is the first address that has proved to hold the engines' key.
#include "kernel/connection/channel.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "kernel/connection/undisturbed.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using namespace std::chrono_literals;

namespace {

constexpr int farewell_limit_ms = 500;  // how long a last Shutdown or Batch may still leave the socket
constexpr auto direct_limit = 3s, tunnel_limit = 10s;
constexpr auto handshake_limit = 10s;  // after the connection was accepted, perhaps by a busy machine
constexpr auto pause = 250ms;          // between attempts
constexpr std::size_t told_addresses = 4;

bool is_loopback(const std::string& address) { return address.starts_with("tcp://127."); }

bool is_all_ipc(const std::vector<std::string>& addresses) {
  return std::all_of(addresses.begin(), addresses.end(),
                     [](const std::string& each) { return each.starts_with("ipc:"); });
}

}  // namespace

Channel::Channel(const protocol::Connection& connection, std::vector<Route> routes, std::string directory)
    : connection_(connection),
      routes_(routes.empty() ? std::vector<Route>{{"direct", {}}} : std::move(routes)),
      directory_(std::move(directory)),
      wakeup_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      is_local_(is_all_ipc(connection.addresses)),
      problems_(routes_.size()) {
  if (wakeup_ < 0) throw Error(ErrorKind::os, std::string("[connect] eventfd: ") + std::strerror(errno));
  if (connection.addresses.empty()) {
    close(wakeup_);
    throw Error(ErrorKind::value, "[connect] the connection file names no address");
  }
  begin_attempt();
}

Channel::~Channel() {
  for (const auto& socket : sockets_) socket->linger(farewell_limit_ms);
  const bool has_tunnel = tunnel_ != nullptr;
  sockets_.clear();
  if (has_tunnel) context_.close();  // messages that are still being sent need the tunnel
  tunnel_.reset();
  close(wakeup_);
}

void Channel::begin_attempt() {
  sockets_.clear();
  retire_tunnel();
  is_trying_ = true;
  attempt_problem_.clear();
  const Route& route = routes_[route_];
  std::vector<std::string> addresses = connection_.addresses;
  attempt_ends_ = Clock::now() + direct_limit;
  try {
    if (!route.command.empty()) {
      tunnel_ = std::make_unique<Tunnel>(route.command, directory_);
      addresses = {tunnel_->address()};
      attempt_ends_ = Clock::now() + tunnel_limit;
    }
  } catch (const Error& error) {
    attempt_problem_ = error.what();
    return fail_attempt();
  }
  for (const std::string& address : addresses) {
    try {
      const auto id = protocol::routing_id({name_, ++connections_});
      sockets_.push_back(std::make_unique<Socket>(context_, connection_, address, id));
    } catch (const zmq::error_t& error) {
      attempt_problem_ += (attempt_problem_.empty() ? "" : "; ") + address + ": " + error.what();
    }
  }
}

void Channel::fail_attempt() {
  const bool is_direct = routes_[route_].command.empty();
  std::string problem = attempt_problem_;
  std::size_t told = 0;
  is_nobody_there_ = is_direct && !sockets_.empty();
  std::vector<std::string> closed;
  for (const auto& socket : sockets_)
    if (socket->problem().empty() && socket->state() == Socket::State::closed)
      closed.push_back(socket->address());
  const std::vector<ProbeAnswer> answers = probe(closed);
  auto answer = answers.begin();
  for (const auto& socket : sockets_) {
    const bool was_asked = socket->problem().empty() && socket->state() == Socket::State::closed;
    const std::string cause = describe_failure(*socket, was_asked ? *answer++ : ProbeAnswer{});
    // This host's loopback address says nothing about another host's loopback address, so skip it, unless
    // there is no other address.
    if (is_direct && sockets_.size() > 1 && is_loopback(socket->address()) &&
        !is_loopback(sockets_.front()->address()))
      continue;
    if (++told > told_addresses) continue;
    problem += (problem.empty() ? "" : "; ") + (is_direct ? socket->address() + " " : "") + cause;
  }
  if (told > told_addresses) problem += "; and " + std::to_string(told - told_addresses) + " more addresses";
  if (tunnel_ != nullptr && !tunnel_->last_message().empty()) problem = tunnel_->last_message();
  problems_[route_] =
      std::move(problem);  // set only now, because until then the failure before is the known one
  sockets_.clear();
  retire_tunnel();
  is_trying_ = false;
  next_attempt_ = Clock::now() + pause;
  route_ = (route_ + 1) % routes_.size();
  if (++failed_attempts_ % routes_.size() == 0) ++failed_rounds_;
}

std::string Channel::describe_failure(Socket& socket, const ProbeAnswer& answer) {
  if (!socket.problem().empty()) {
    is_nobody_there_ = false;
    return socket.problem();
  }
  if (socket.state() != Socket::State::closed) {
    is_nobody_there_ = false;
    return what_it_waits_for(socket);
  }
  is_nobody_there_ = is_nobody_there_ && answer.is_nobody_there;
  return answer.text;
}

std::string Channel::what_it_waits_for(const Socket& socket) const {
  if (!routes_[route_].command.empty()) return "nothing came through it";
  return socket.state() == Socket::State::shaking_hands
             ? "takes the connection and says nothing: rank 0 hangs, or is stopped"
             : "does not answer: the network is cut, or the node is down";
}

std::optional<Channel::Event> Channel::look_at_candidates() {
  bool is_any_left = false;
  for (auto& socket : sockets_) {
    switch (socket->update()) {
      case Socket::State::open: {
        auto chosen = std::move(socket);
        sockets_.clear();
        sockets_.push_back(std::move(chosen));
        is_open_ = true;
        is_trying_ = is_nobody_there_ = false;
        failed_attempts_ = 0;
        failed_rounds_ = 0;
        return Event::connected;
      }
      case Socket::State::shaking_hands:
      case Socket::State::connecting:
        is_any_left = true;
        break;
      case Socket::State::closed:
        break;
    }
  }
  if (!is_any_left || Clock::now() >= attempt_limit()) fail_attempt();
  return std::nullopt;
}

Channel::Clock::time_point Channel::attempt_limit() const {
  const bool is_any_shaking = std::any_of(sockets_.begin(), sockets_.end(), [](const auto& socket) {
    return socket->state() == Socket::State::shaking_hands;
  });
  return is_any_shaking && routes_[route_].command.empty() ? attempt_ends_ + (handshake_limit - direct_limit)
                                                           : attempt_ends_;
}

std::optional<Channel::Event> Channel::next_event() {
  if (is_over_) return std::nullopt;
  if (is_open_) {
    if (sockets_.front()->update() == Socket::State::open) return std::nullopt;
    is_open_ = false;
    begin_attempt();
    return Event::disconnected;
  }
  if (is_trying_) return look_at_candidates();
  if (Clock::now() >= next_attempt_) begin_attempt();
  return std::nullopt;
}

void Channel::reconnect() {
  if (is_over_) return;
  is_open_ = false;
  begin_attempt();
}

void Channel::disconnect() {
  is_over_ = true;
  is_open_ = is_trying_ = false;
  sockets_.clear();
  retire_tunnel();
}

void Channel::retire_tunnel() {
  // Ending the tunnel's program may take a second. A thread does it, so that no wait and no interrupt is
  // delayed.
  if (tunnel_ != nullptr) std::thread([tunnel = std::move(tunnel_)] {}).detach();
}

bool Channel::wait(std::chrono::milliseconds limit) {
  std::vector<zmq::pollitem_t>& items = poll_items_;
  items.clear();
  items.push_back({nullptr, wakeup_, ZMQ_POLLIN, 0});
  for (const auto& socket : sockets_) items.push_back({socket->events().handle(), 0, ZMQ_POLLIN, 0});
  if (is_open_) items.push_back({sockets_.front()->dealer().handle(), 0, ZMQ_POLLIN, 0});
  if (!is_open_ && !is_over_) {
    const auto due = is_trying_ ? attempt_limit() : next_attempt_;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    limit = std::min(limit, std::clamp(left, 1ms, std::chrono::milliseconds(250)));
  }
  if (zmq_poll(items.data(), static_cast<int>(items.size()), limit.count()) < 0)
    return errno != EINTR;  // in the C call a signal is not an exception
  std::uint64_t count = 0;
  if (items[0].revents != 0 && read(wakeup_, &count, sizeof count) < 0) count = 0;
  return true;
}

void Channel::wake() const {
  const std::uint64_t one = 1;
  // The counter cannot overflow in practice, and a full one wakes the reader as well.
  if (write(wakeup_, &one, sizeof one) < 0) return;
}

std::optional<Frames> Channel::receive() {
  if (!is_open_) return std::nullopt;
  zmq::socket_t& dealer = sockets_.front()->dealer();
  zmq::message_t part;
  if (!undisturbed([&] { return dealer.recv(part, zmq::recv_flags::dontwait); })) return std::nullopt;
  protocol::Joiner joiner;
  for (;;) {
    joiner.add({static_cast<const std::byte*>(part.data()), part.size()});
    if (!part.more() || !undisturbed([&] { return dealer.recv(part, zmq::recv_flags::none); }))
      return joiner.take();
  }
}

bool Channel::takes_messages() {
  return is_open_ && (undisturbed([&] { return sockets_.front()->dealer().get(zmq::sockopt::events); }) &
                      ZMQ_POLLOUT) != 0;
}

bool Channel::send(const SharedFrames& frames) {
  zmq::socket_t& dealer = sockets_.front()->dealer();
  for (std::size_t index = 0; index < frames->size(); ++index) {
    const protocol::Bytes& frame = (*frames)[index];
    const std::size_t parts = protocol::part_count(frame.size());
    for (std::size_t number = 0; number < parts; ++number) {
      const auto bytes = protocol::part(frame, number);
      // Payloads may be tens of megabytes: the message holds the frames instead of copying them.
      auto held = std::make_unique<SharedFrames>(frames);
      zmq::message_t part(
          const_cast<std::byte*>(bytes.data()), bytes.size(),
          [](void*, void* hint) { delete static_cast<SharedFrames*>(hint); }, held.get());
      static_cast<void>(held.release());
      const bool is_last = index + 1 == frames->size() && number + 1 == parts;
      const auto flags =
          zmq::send_flags::dontwait | (is_last ? zmq::send_flags::none : zmq::send_flags::sndmore);
      const bool is_taken = undisturbed([&] { return dealer.send(part, flags).has_value(); });
      // Only the first part may find no room; then nothing is sent. Later parts are lost with the connection
      // and are counted as sent.
      if (!is_taken && index + number == 0) return false;
    }
  }
  return true;
}

Socket::Traffic Channel::traffic() const {
  if (!is_open_) return {};
  return tunnel_ != nullptr ? tunnel_->traffic() : sockets_.front()->traffic();
}

std::string Channel::route() const {
  if (!is_open_) return "none: connecting";
  return tunnel_ != nullptr ? routes_[route_].name : routes_[route_].name + " " + sockets_.front()->address();
}

std::string Channel::problem() const {
  std::string text;
  for (std::size_t index = 0; index < routes_.size(); ++index) {
    std::string cause = problems_[index];
    // The present attempt has not failed yet, but there may be nothing else to report.
    if (cause.empty() && is_trying_ && index == route_ && !sockets_.empty())
      cause = what_it_waits_for(*sockets_.front());
    if (cause.empty()) continue;
    text += (text.empty() ? "" : "; ") + (routes_.size() > 1 ? routes_[index].name + ": " : "") + cause;
  }
  return text;
}

}  // namespace gamelan::kernel
