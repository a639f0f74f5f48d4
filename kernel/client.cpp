// SPDX-License-Identifier: BSD-3-Clause
// Whoever holds the socket waits for replies, connection events and pokes. Rank 0 answers heartbeats even while it
// computes, so silence for `silence_limit` means that the process, its node or the network is gone.
#include "kernel/client.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "kernel/wire.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {
constexpr auto heartbeat_period = 1s;
constexpr auto look_in_period = 500ms;
constexpr auto silence_limit = 20s;        // a suspended laptop wakes within one period and is heard again
constexpr Clock::duration local_reconnect_limit = 1s, remote_reconnect_limit = 15s;
}  // namespace

Client::Client(const protocol::Connection& connection) : wire_(std::make_unique<Wire>(connection)) {
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
    if (!holding.owns_lock()) return wire_->poke();
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
    const auto beat_due = std::chrono::ceil<Milliseconds>(last_beat_ + heartbeat_period - Clock::now());
    is_undisturbed = wire_->wait(std::clamp(beat_due, 0ms, limit));
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
    if (!wire_->takes_messages()) return false;
    Frames frames;
    {
      const std::scoped_lock lock(mutex_);
      frames = std::move(queue_.front());
      queue_.pop_front();
    }
    wire_->send(std::move(frames));
  }
}

void Client::receive_all() {
  while (const auto frames = wire_->receive()) {
    protocol::Reply reply = protocol::decode_reply(*frames);
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
  while (const auto event = wire_->next_event()) {
    if (*event == Wire::Event::connected) disconnected_.reset();
    else if (!disconnected_) disconnected_ = Clock::now();
  }
  const auto now = Clock::now();
  const Clock::duration reconnect_limit = wire_->is_local() ? local_reconnect_limit : remote_reconnect_limit;
  if (disconnected_ && now - *disconnected_ > reconnect_limit) {
    set_lost("the engines closed the connection");
  } else if (now - last_heard_ > silence_limit && last_beat_ - last_heard_ > heartbeat_period * 3) {
    set_lost("the engines have not answered for " + std::to_string(std::chrono::seconds(silence_limit).count()) + " s");
  }
}

}  // namespace gamelan::kernel
