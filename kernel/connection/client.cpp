// SPDX-License-Identifier: BSD-3-Clause
// Whoever holds the channel waits for replies, connection events and wakes, sends what is queued, and asks
// the failure detector whether the engines are still there.
#include "kernel/connection/client.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

#include "kernel/connection/channel.hpp"
#include "kernel/connection/failure_detector.hpp"
#include "kernel/connection/lane.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::Frames;
using namespace std::chrono_literals;

namespace {

constexpr auto heartbeat_period = 1s;
constexpr auto look_in_period = 500ms;
constexpr auto lane_look = 100ms;  // for the end of the engines, which is found at the socket

}  // namespace

Client::Client(const protocol::Connection& connection, std::vector<Route> routes, std::string directory)
    : channel_(std::make_unique<Channel>(connection, std::move(routes), std::move(directory))),
      detector_(std::make_unique<FailureDetector>(connection.host, connection.pid, *channel_)),
      last_beat_(Clock::now()) {
  thread_ = std::thread([this] { run(); });
}

Client::~Client() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    // The last word: what has come. Else rank 0 would keep replies for a client that is no more.
    if (!lost_) requests_.add_heartbeat();
  }
  ending_.notify_all();
  thread_.join();
}

std::uint64_t Client::send(protocol::Request&& request, SharedFrames* kept) {
  const std::scoped_lock numbering(numbering_);
  OutstandingRequests::Numbers numbers{};
  {
    const std::scoped_lock lock(mutex_);
    if (lost_) throw Error(ErrorKind::engine_lost, *lost_);
    numbers = requests_.begin();
  }
  std::visit([&](auto& message) { message.seq = numbers.seq; }, request);
  const bool may_go_by_lane = std::holds_alternative<protocol::Batch>(request) ||
                              std::holds_alternative<protocol::Configure>(request);
  std::vector<std::size_t> payloads;
  if (auto* batch = std::get_if<protocol::Batch>(&request)) {
    batch->heard = numbers.heard;
    payloads = protocol::payloads_to_lend(*batch);
  }
  auto frames = std::make_shared<const Frames>(protocol::encode(std::move(request)));
  if (kept != nullptr) *kept = frames;
  if (may_go_by_lane && send_by_lane(numbers.seq, *frames, payloads)) return numbers.seq;
  {
    const std::scoped_lock lock(mutex_);
    requests_.add(numbers.seq, std::move(frames));
  }
  send_now();
  return numbers.seq;
}

std::string Client::open_lane(const protocol::LaneOffer& offer, int ranks) {
  // A reply that finds no room in the lane comes over the socket. Over tcp it could get lost with a
  // connection, and a request of the lane is not sent again.
  if (!channel_->is_local()) return "the engines listen on tcp";
  try {
    const std::scoped_lock lock(numbering_, reading_);
    lane_ = std::make_unique<Lane>(offer, channel_->name(), ranks);
    has_lane_.store(true);
  } catch (const Error& error) {
    return error.what();
  }
  {
    const std::scoped_lock lock(mutex_);
    requests_.add_heartbeat();  // rank 0 may wait at its socket, and looks at its lanes then
  }
  send_now();
  return {};
}

bool Client::send_by_lane(std::uint64_t seq, const Frames& frames, std::span<const std::size_t> payloads) {
  if (lane_ == nullptr) return false;
  {
    const std::scoped_lock lock(mutex_);
    if (requests_.is_socket_in_use()) return false;
    requests_.add_by_lane(seq);  // before it is sent: its reply may be here at once
  }
  if (lane_->send(seq, frames, payloads)) return true;
  const std::scoped_lock lock(mutex_);
  requests_.take_back(seq);
  return false;
}

void Client::read_lane() {
  const std::scoped_lock reading(reading_);
  try {
    while (auto reply = lane_->receive()) {
      const std::scoped_lock lock(mutex_);
      accept(std::move(*reply));
    }
    if (lane_->is_refused()) set_lost("[client] rank 0 cannot read the lane of this client any more");
  } catch (const std::exception& error) {
    set_lost(std::string("[client] ") + error.what());
  }
}

void Client::accept(protocol::Reply reply) {
  if (has_lane_.load()) lane_->end_loan(reply.seq);
  if (reply.outcome == protocol::Outcome::failed && reply.error == ErrorKind::engine_lost) {
    // Rank 0's last word. It knows that it must leave, not why: whoever waits asks the launcher, as after a
    // silence.
    set_lost_locked(reply.message);
  } else if (requests_.answer_heartbeat(reply.seq)) {
    status_ = std::move(reply.info);
  } else if (requests_.add_reply(std::move(reply))) {  // else it came twice
    arrived_.notify_all();
  }
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
  return requests_.has_queued();
}

std::optional<protocol::Reply> Client::take(std::uint64_t seq, Milliseconds limit) {
  const auto end = Clock::now() + limit;
  std::unique_lock lock(mutex_);
  for (bool is_signalled = false, has_looked = false;; has_looked = true) {
    std::uint64_t seen = 0;
    if (has_lane_.load()) {
      lock.unlock();
      seen = lane_->replies();
      read_lane();
      lock.lock();
    }
    if (auto reply = requests_.take_reply(seq)) return reply;
    if (lost_) throw Error(ErrorKind::engine_lost, *lost_);
    const auto left = std::chrono::ceil<Milliseconds>(end - Clock::now());
    if (is_signalled || (has_looked && left <= 0ms)) return std::nullopt;
    if (requests_.is_by_lane(seq) && !lane_->is_by_socket(seq)) {
      lock.unlock();
      is_signalled = !lane_->wait(seen, std::clamp(left, 0ms, lane_look));
      lock.lock();
      continue;
    }
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
  requests_.forget(seq);
}

void Client::lose(const std::string& cause) { set_lost(cause); }

std::optional<std::string> Client::suspension() const {
  const std::scoped_lock lock(mutex_);
  return suspension_;
}

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
  return has_lane_.load() ? route_ + ", batches through shared memory" : route_;
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
    if (has_lane_.load()) read_lane();  // of replies that nobody waits for
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
  requests_.add_heartbeat();
}

bool Client::send_queued() {
  for (;;) {
    if (!has_queued()) return true;
    if (!channel_->takes_messages()) return false;
    SharedFrames frames;
    {
      const std::scoped_lock lock(mutex_);
      frames = requests_.take_queued();
    }
    if (channel_->send(frames)) continue;
    const std::scoped_lock lock(mutex_);  // the other side has gone since the socket was asked
    requests_.put_back(std::move(frames));
    return false;
  }
}

void Client::send_unanswered_again() {
  last_beat_ = Clock::now() - heartbeat_period;
  const std::scoped_lock lock(mutex_);
  ++connections_;
  route_ = channel_->route();
  requests_.queue_unanswered();
}

void Client::receive_all() {
  while (auto frames = channel_->receive()) {
    protocol::Reply reply = protocol::decode_reply(std::move(*frames));
    detector_->note_heard();
    const std::scoped_lock lock(mutex_);
    accept(std::move(reply));
  }
}

void Client::watch_connection() {
  while (const auto event = channel_->next_event()) {
    if (*event == Channel::Event::connected) {
      detector_->note_connected();
      send_unanswered_again();
    } else {
      detector_->note_disconnected();
      const std::scoped_lock lock(mutex_);
      route_ = "none: connecting again";
    }
  }
  if (lost_cause()) return channel_->disconnect();
  if (const auto cause = detector_->look()) {
    set_lost(*cause);
    channel_->disconnect();
  }
  const std::scoped_lock lock(mutex_);
  suspension_ = detector_->suspension();
}

}  // namespace gamelan::kernel
