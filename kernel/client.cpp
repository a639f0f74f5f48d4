// SPDX-License-Identifier: BSD-3-Clause
// Whoever holds the socket polls {socket, wake-up, connection events}. Rank 0 answers heartbeats from its own ZeroMQ thread even while
// it computes, so silence for `silence_limit` means that the process, its node or the network is gone.
#include "kernel/client.hpp"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <zmq.hpp>

namespace gamelan::kernel {

using protocol::Bytes;
using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {
constexpr auto heartbeat_period = 1s;
constexpr auto look_in_period = 500ms;
constexpr auto silence_limit = 20s;        // a suspended laptop wakes within one period and is heard again
constexpr auto local_reconnect_limit = 1s;
constexpr auto remote_reconnect_limit = 15s;
constexpr auto farewell_limit_ms = 500;    // how long a last Shutdown or Batch may still leave the socket

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

struct Client::Socket {
  zmq::context_t context{1};
  zmq::socket_t dealer{context, zmq::socket_type::dealer};
  zmq::socket_t events;  // connection events of `dealer`
  int wake = -1;
  Socket() : wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake < 0) throw Error(ErrorKind::os, std::string("[connect] eventfd: ") + std::strerror(errno));
  }
  ~Socket() {
    close(wake);
    dealer.set(zmq::sockopt::linger, farewell_limit_ms);
  }
  void poke() const {
    const std::uint64_t one = 1;
    // The counter cannot overflow in practice, and a full one wakes the reader as well.
    if (write(wake, &one, sizeof one) < 0) return;
  }
};

Client::Client(const protocol::Connection& connection) : socket_(std::make_unique<Socket>()) {
  try {
    auto& dealer = socket_->dealer;
    dealer.set(zmq::sockopt::sndhwm, 0);  // the recorder bounds what is outstanding
    dealer.set(zmq::sockopt::rcvhwm, 0);
    if (!connection.server_public.empty()) {
      dealer.set(zmq::sockopt::curve_serverkey, connection.server_public);
      dealer.set(zmq::sockopt::curve_publickey, connection.client_public);
      dealer.set(zmq::sockopt::curve_secretkey, connection.client_secret);
    }
    zmq_socket_monitor(dealer.handle(), "inproc://events", ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED);
    socket_->events = zmq::socket_t(socket_->context, zmq::socket_type::pair);
    socket_->events.connect("inproc://events");
    if (connection.addresses.empty()) throw Error(ErrorKind::value, "[connect] the connection file names no address");
    // A DEALER connected to several addresses would share its messages among them: the first that is accepted is used.
    std::string problem;
    for (const auto& address : connection.addresses) {
      try {
        dealer.connect(address);
        is_local_ = address.starts_with("ipc:");
        problem.clear();
        break;
      } catch (const zmq::error_t& error) {
        problem = describe(error) + " (" + address + ")";
      }
    }
    if (!problem.empty()) throw Error(ErrorKind::os, problem);
  } catch (const zmq::error_t& error) {
    throw Error(ErrorKind::os, describe(error));
  }
  last_heard_ = last_beat_ = Clock::now();
  thread_ = std::thread([this] { run(); });
}

Client::~Client() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

std::uint64_t Client::send(protocol::Request request) {
  std::uint64_t seq = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (lost_) throw Error(ErrorKind::engine_lost, *lost_);
    seq = ++last_seq_;
  }
  std::visit([seq](auto& message) { message.seq = seq; }, request);
  Frames frames = protocol::encode(request);
  {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(frames));
  }
  send_now();
  return seq;
}

void Client::send_now() {
  // Who finds the socket held pokes the holder, who looks at the queue once more after letting go: nothing is left behind.
  do {
    const std::unique_lock holding(holding_, std::try_to_lock);
    if (!holding.owns_lock()) return socket_->poke();
    try {
      if (!send_queued()) return;
    } catch (const std::exception& error) {
      return set_lost(std::string("[client] ") + error.what());
    }
  } while (has_queued());
}

bool Client::has_queued() const {
  const std::scoped_lock lock(mutex_);
  return !queue_.empty();
}

std::optional<protocol::Reply> Client::take(std::uint64_t seq, Milliseconds limit) {
  const auto end = Clock::now() + limit;
  std::unique_lock lock(mutex_);
  for (bool is_signalled = false, has_looked = false;; has_looked = true) {
    if (auto node = replies_.extract(seq)) return std::move(node.mapped());
    if (lost_) throw Error(ErrorKind::engine_lost, *lost_);
    const auto left = std::chrono::ceil<Milliseconds>(end - Clock::now());
    if (is_signalled || (has_looked && left <= 0ms)) return std::nullopt;
    if (is_read_) {
      arrived_.wait_until(lock, end);
      continue;
    }
    is_read_ = true;
    lock.unlock();
    is_signalled = !serve(std::max(left, 0ms));
    lock.lock();
    is_read_ = false;
    arrived_.notify_all();  // somebody else may read now
  }
}

void Client::forget(std::uint64_t seq) {
  const std::scoped_lock lock(mutex_);
  if (replies_.erase(seq) == 0) forgotten_.insert(seq);
}

void Client::lose(const std::string& cause) { set_lost(cause); }

std::optional<std::string> Client::lost_cause() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

std::string Client::last_status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

void Client::set_lost(const std::string& cause) {
  const std::scoped_lock lock(mutex_);
  if (!lost_) lost_ = cause;
  arrived_.notify_all();
}

void Client::run() {
  pthread_setname_np(pthread_self(), "gamelan-client");
  sigset_t every_signal;  // signals belong to the Python threads
  sigfillset(&every_signal);
  pthread_sigmask(SIG_BLOCK, &every_signal, nullptr);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (ending_.wait_for(lock, look_in_period, [&] { return is_stopping_; })) break;
      if (is_read_) continue;  // a caller is at the socket, and does all of it
      is_read_ = true;
    }
    serve(0ms);
    const std::scoped_lock lock(mutex_);
    is_read_ = false;
    arrived_.notify_all();  // who came meanwhile looks whether his reply did, and reads on
  }
  send_now();
}

bool Client::serve(Milliseconds limit) {
  bool is_undisturbed = true, takes_more = false;
  try {
    const std::scoped_lock holding(holding_);
    zmq::pollitem_t items[] = {{socket_->dealer.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, socket_->wake, ZMQ_POLLIN, 0},
                               {socket_->events.handle(), 0, ZMQ_POLLIN, 0}};
    const auto beat_due = std::chrono::ceil<Milliseconds>(last_beat_ + heartbeat_period - Clock::now());
    const auto wait = std::clamp(beat_due, 0ms, limit);
    is_undisturbed = zmq_poll(items, 3, wait.count()) >= 0 || errno != EINTR;  // the C call: EINTR is no exception
    std::uint64_t count = 0;
    if (items[1].revents != 0 && read(socket_->wake, &count, sizeof count) < 0) count = 0;
    receive_all();
    watch_connection();
    beat();
    takes_more = send_queued();
  } catch (const std::exception& error) {
    set_lost(std::string("[client] ") + error.what());
  }
  if (takes_more && has_queued()) send_now();
  return is_undisturbed;
}

void Client::beat() {
  if (Clock::now() - last_beat_ < heartbeat_period) return;
  last_beat_ = Clock::now();
  const std::scoped_lock lock(mutex_);
  heartbeats_.insert(++last_seq_);
  queue_.push_back(protocol::encode(protocol::Request{protocol::StatusRequest{last_seq_}}));
}

bool Client::send_queued() {
  for (;;) {
    if (!has_queued()) return true;
    // A connection that was turned away (a wrong key) takes nothing, and a send would wait for ever.
    if ((undisturbed([&] { return socket_->dealer.get(zmq::sockopt::events); }) & ZMQ_POLLOUT) == 0) return false;
    Frames frames;
    {
      const std::scoped_lock lock(mutex_);
      frames = std::move(queue_.front());
      queue_.pop_front();
    }
    for (std::size_t index = 0; index < frames.size(); ++index) {
      // Payloads may be tens of megabytes: the message owns the bytes instead of copying them.
      auto owned = std::make_unique<Bytes>(std::move(frames[index]));
      zmq::message_t message(owned->data(), owned->size(), [](void*, void* hint) { delete static_cast<Bytes*>(hint); },
                             owned.get());
      owned.release();
      const bool is_last = index + 1 == frames.size();
      undisturbed([&] { return socket_->dealer.send(message, is_last ? zmq::send_flags::none : zmq::send_flags::sndmore); });
    }
  }
}

void Client::receive_all() {
  for (;;) {
    Frames frames;
    zmq::message_t message;
    if (!undisturbed([&] { return socket_->dealer.recv(message, zmq::recv_flags::dontwait); })) return;
    for (;;) {
      const auto* first = static_cast<const std::byte*>(message.data());
      frames.emplace_back(first, first + message.size());
      if (!message.more()) break;
      if (!undisturbed([&] { return socket_->dealer.recv(message, zmq::recv_flags::none); })) break;
    }
    protocol::Reply reply = protocol::decode_reply(frames);
    last_heard_ = Clock::now();
    disconnected_.reset();
    const std::scoped_lock lock(mutex_);
    if (reply.outcome == protocol::Outcome::failed && reply.error == ErrorKind::engine_lost) {
      // Rank 0's last word. It knows that it must leave, not why: whoever waits asks the launcher, as after a silence.
      if (!lost_) lost_ = reply.message;
      arrived_.notify_all();
    } else if (heartbeats_.erase(reply.seq) > 0) {
      status_ = std::move(reply.info);
    } else if (forgotten_.erase(reply.seq) == 0) {
      replies_.insert_or_assign(reply.seq, std::move(reply));
      arrived_.notify_all();
    }
  }
}

void Client::watch_connection() {
  zmq::message_t event, address;
  while (undisturbed([&] { return socket_->events.recv(event, zmq::recv_flags::dontwait); })) {
    if (!undisturbed([&] { return socket_->events.recv(address, zmq::recv_flags::none); })) break;
    std::uint16_t kind = 0;
    std::memcpy(&kind, event.data(), sizeof kind);
    if (kind == ZMQ_EVENT_CONNECTED) disconnected_.reset();
    if (kind == ZMQ_EVENT_DISCONNECTED && !disconnected_) disconnected_ = Clock::now();
  }
  const auto now = Clock::now();
  if (disconnected_ && now - *disconnected_ > (is_local_ ? Clock::duration(local_reconnect_limit) : Clock::duration(remote_reconnect_limit))) {
    set_lost("the engines closed the connection");
  } else if (now - last_heard_ > silence_limit && last_beat_ - last_heard_ > heartbeat_period * 3) {
    set_lost("the engines have not answered for " + std::to_string(std::chrono::seconds(silence_limit).count()) + " s");
  }
}

}  // namespace gamelan::kernel
