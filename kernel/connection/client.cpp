// SPDX-License-Identifier: BSD-3-Clause
// Whoever holds the socket waits for replies, connection events and wakes. Rank 0 answers heartbeats even
// while it computes, so silence for `silence_limit` means that the process, its node or the network is gone.
#include "kernel/connection/client.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "kernel/connection/channel.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using namespace std::chrono_literals;

namespace {

constexpr auto heartbeat_period = 1s;
constexpr auto look_in_period = 500ms;
constexpr auto suspicious_silence = 3s;    // then another connection is tried: it may get through sooner
constexpr auto silence_limit = 10s;        // of a network; rank 0 answers heartbeats even while it computes
constexpr auto local_silence_limit = 20s;  // of a process on this machine, which may be short of processors
constexpr auto local_reconnect_limit = 1s, nobody_there_limit = 2s;
constexpr auto longest_look = 2s;  // a longer time between two looks is one in which we were stopped
constexpr auto suspicious_silence_of_tunnel = 6s;        // TCP within it gets over a cut of five seconds
constexpr std::uint64_t slow_tunnel_bytes = 128 * 1024;  // in a second
constexpr auto longest_allowance = 120s;
constexpr std::uint64_t bulk_bytes = 16 * 1024;  // acknowledged in half a second: more than heartbeats are

std::string seconds_of(std::chrono::seconds limit) { return std::to_string(limit.count()) + " s"; }

}  // namespace

Client::Client(const protocol::Connection& connection, std::vector<Route> routes, std::string directory)
    : host_(connection.host),
      channel_(std::make_unique<Channel>(connection, std::move(routes), std::move(directory))) {
  last_beat_ = last_look_ = last_progress_ = opened_ = Clock::now();
  thread_ = std::thread([this] { run(); });
}

Client::~Client() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    // The last word: what has come. Else rank 0 would keep replies for a client that is no more.
    if (!lost_) queue_.push_back(heartbeat());
  }
  ending_.notify_all();
  thread_.join();
}

std::uint64_t Client::send(protocol::Request request) {
  const std::scoped_lock numbering(numbering_);
  std::uint64_t seq = 0, heard = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (lost_) throw Error(ErrorKind::engine_lost, *lost_);
    heard = heard_so_far();
    seq = ++last_seq_;
    being_made_ = seq;
  }
  std::visit([seq](auto& message) { message.seq = seq; }, request);
  if (auto* batch = std::get_if<protocol::Batch>(&request)) batch->heard = heard;
  auto frames = std::make_shared<const Frames>(protocol::encode(request));
  {
    const std::scoped_lock lock(mutex_);
    unanswered_.emplace(seq, frames);
    being_made_ = 0;
    queue_.push_back(std::move(frames));
  }
  send_now();
  return seq;
}

std::uint64_t Client::heard_so_far() const {
  if (!unanswered_.empty()) return unanswered_.begin()->first - 1;
  // A request that is still being encoded has its number and is in no list yet; a heartbeat may overtake it.
  return being_made_ != 0 ? being_made_ - 1 : last_seq_;
}

void Client::send_now() {
  // Who finds the socket held wakes the holder, who looks at the queue once more after letting go: nothing is
  // left behind.
  do {
    const std::unique_lock holding(holding_, std::try_to_lock);
    if (!holding.owns_lock()) return channel_->wake();
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

std::string Client::route() const {
  const std::scoped_lock lock(mutex_);
  return route_;
}

std::uint64_t Client::connections() const {
  const std::scoped_lock lock(mutex_);
  return connections_;
}

void Client::set_lost(const std::string& cause) {
  const std::scoped_lock lock(mutex_);
  set_lost_locked(cause);
}

void Client::set_lost_locked(const std::string& cause) {
  if (!lost_) lost_ = cause;
  is_lost_.store(true, std::memory_order_relaxed);  // who reads it asks for the cause under the mutex
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
    is_undisturbed = channel_->wait(std::clamp(beat_due, 0ms, limit));
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
  if (Clock::now() - last_beat_ < heartbeat_period || !channel_->is_open()) return;
  last_beat_ = Clock::now();
  const std::scoped_lock lock(mutex_);
  queue_.push_back(heartbeat());
}

SharedFrames Client::heartbeat() {
  const std::uint64_t heard = heard_so_far();
  heartbeats_.insert(++last_seq_);
  return std::make_shared<const Frames>(
      protocol::encode(protocol::Request{protocol::Heartbeat{last_seq_, heard}}));
}

bool Client::send_queued() {
  for (;;) {
    if (!has_queued()) return true;
    if (!channel_->takes_messages()) return false;
    SharedFrames frames;
    {
      const std::scoped_lock lock(mutex_);
      frames = std::move(queue_.front());
      queue_.pop_front();
    }
    if (channel_->send(frames)) continue;
    const std::scoped_lock lock(mutex_);  // the other side has gone since the socket was asked
    queue_.push_front(std::move(frames));
    return false;
  }
}

void Client::send_unanswered_again() {
  opened_ = Clock::now();
  disconnected_.reset();
  received_ = acknowledged_ = given_when_heard_ = 0;
  last_beat_ = Clock::now() - heartbeat_period;
  const std::scoped_lock lock(mutex_);
  if (connections_++ == 0) silence_ = {};  // to find the first way may have taken long
  route_ = channel_->route();
  heartbeats_.clear();
  queue_.clear();  // what was never sent is unanswered, too
  for (const auto& [seq, frames] : unanswered_) queue_.push_back(frames);
}

void Client::receive_all() {
  while (const auto frames = channel_->receive()) {
    protocol::Reply reply = protocol::decode_reply(*frames);
    silence_ = {};
    if (channel_->has_tunnel()) given_when_heard_ = channel_->traffic().acknowledged;
    const std::scoped_lock lock(mutex_);
    if (reply.outcome == protocol::Outcome::failed && reply.error == ErrorKind::engine_lost) {
      // Rank 0's last word. It knows that it must leave, not why: whoever waits asks the launcher, as after a
      // silence.
      set_lost_locked(reply.message);
    } else if (heartbeats_.erase(reply.seq) > 0) {
      status_ = std::move(reply.info);
    } else if (unanswered_.erase(reply.seq) > 0 && forgotten_.erase(reply.seq) == 0) {  // else it came twice
      replies_.insert_or_assign(reply.seq, std::move(reply));
      arrived_.notify_all();
    }
  }
}

void Client::watch_connection() {
  while (const auto event = channel_->next_event()) {
    if (*event == Channel::Event::connected) {
      send_unanswered_again();
    } else {
      if (!disconnected_) disconnected_ = Clock::now();
      const std::scoped_lock lock(mutex_);
      route_ = "none: connecting again";
    }
  }
  const auto now = Clock::now();
  silence_ += std::min<Clock::duration>(now - last_look_, longest_look);
  last_look_ = now;
  if (lost_cause()) return channel_->disconnect();
  if (now - last_progress_ >= look_in_period) {
    // A long message is no silence: its bytes move, even when no reply can overtake them.
    last_progress_ = now;
    const Socket::Traffic traffic = channel_->traffic();
    if (traffic.received > received_ || traffic.acknowledged > acknowledged_ + bulk_bytes) silence_ = {};
    received_ = traffic.received;
    acknowledged_ = traffic.acknowledged;
  }
  if (connections() == 0) {
    if (channel_->failed_rounds() > 0) give_up(host_ + " cannot be reached");
  } else if (channel_->is_local()) {
    if (disconnected_ && now - *disconnected_ > local_reconnect_limit)
      give_up("the engines closed the connection");
    if (silence_ > local_silence_limit)
      give_up("the engines have not answered for " + seconds_of(local_silence_limit));
  } else if (disconnected_ && channel_->is_nobody_there() && now - *disconnected_ > nobody_there_limit) {
    give_up("the engines closed the connection, and rank 0 is no more on " + host_);
  } else if (silence_ > silence_limit + allowance() &&
             !(channel_->is_open() && now - opened_ < suspicious_silence)) {
    give_up(host_ + " does not answer since " + seconds_of(silence_limit));
  } else if (silence_ >
                 (channel_->has_tunnel() ? suspicious_silence_of_tunnel : suspicious_silence) + allowance() &&
             channel_->is_open() && now - opened_ > suspicious_silence) {
    if (!disconnected_) disconnected_ = now;
    channel_->reconnect();
  }
}

Client::Clock::duration Client::allowance() const {
  // What a tunnel's program has taken may still lie in its buffers, megabytes of it, and our heartbeats
  // behind it.
  if (!channel_->has_tunnel()) return {};
  const std::uint64_t on_its_way = channel_->traffic().acknowledged - given_when_heard_;
  if (on_its_way < bulk_bytes) return {};
  return std::min<Clock::duration>(std::chrono::seconds(on_its_way / slow_tunnel_bytes), longest_allowance);
}

void Client::give_up(const std::string& cause) {
  const bool is_mute = channel_->is_open(), is_first = connections() == 0;
  const std::string why = channel_->problem();
  set_lost(
      cause +
      (why.empty() ? is_mute ? ": it takes connections and says nothing: rank 0 hangs, or is stopped" : ""
                   : ": " + why) +
      (is_first ? ". `gamelan engines list` shows what runs, `gamelan engines start` starts new ones" : ""));
  channel_->disconnect();
}

}  // namespace gamelan::kernel
