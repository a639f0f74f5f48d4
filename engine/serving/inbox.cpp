// SPDX-License-Identifier: BSD-3-Clause
// The bounded queue and its rules.
#include "engine/serving/inbox.hpp"

#include <algorithm>
#include <string>

namespace gamelan::engine {
namespace {

using protocol::ErrorKind;

constexpr std::size_t max_queued_requests = 64;
constexpr std::size_t max_queued_bytes = std::size_t{1} << 30;
constexpr std::size_t max_ended_epochs = 1'024;  // of clients that never came back after a failure

constexpr std::size_t max_ended_clients = 1'024;  // most of which never came back

std::uint64_t epoch_of(const protocol::Request& request) {
  const auto* batch = std::get_if<protocol::Batch>(&request);
  return batch == nullptr || batch->explain ? 0 : batch->epoch;
}

}  // namespace

protocol::Reply cancelled_reply(std::uint64_t seq) {
  protocol::Reply reply;
  reply.seq = seq;
  reply.outcome = protocol::Outcome::cancelled;
  reply.command = 0;
  reply.message = "cancelled before it began";
  return reply;
}

std::optional<Incoming> Inbox::next(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  // Without this, even a wait of no time would be a system call in every round trip.
  if (queue_.empty() && timeout <= std::chrono::milliseconds(0)) return std::nullopt;
  if (!has_request_.wait_for(lock, timeout, [&] { return !queue_.empty(); })) return std::nullopt;
  Incoming incoming = std::move(queue_.front());
  queue_.pop_front();
  queued_bytes_ -= incoming.packed.size();
  running_ = Running{{incoming.client, incoming.lane, protocol::sequence(incoming.request)},
                     epoch_of(incoming.request),
                     false,
                     Clock::now()};
  return incoming;
}

Inbox::Finished Inbox::finish(bool has_failed) {
  const std::lock_guard lock(mutex_);
  if (!running_) return {};
  Finished finished{std::move(running_->request), {}};
  if (const auto epoch = running_->epoch; has_failed && epoch != 0) {
    if (ended_epochs_.size() >= max_ended_epochs) ended_epochs_.pop_front();
    forget_ended_epoch(finished.request.client);
    ended_epochs_.push_back({finished.request.client, epoch});
    finished.behind = take_queued(finished.request.client, [&](const protocol::Request& request) {
      return epoch_of(request) == epoch;
    });
  }
  running_.reset();
  return finished;
}

void Inbox::forget_ended_epoch(const protocol::Bytes& client) {
  std::erase_if(ended_epochs_, [&](const EndedEpoch& ended) { return ended.client == client; });
}

bool Inbox::is_executing_of(const protocol::Bytes& client) const {
  const std::lock_guard lock(mutex_);
  return running_ && running_->request.client == client;
}

bool Inbox::is_cut() const {
  const std::lock_guard lock(mutex_);
  return running_ && running_->is_cut;
}

bool Inbox::has_room() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() < max_queued_requests && queued_bytes_ < max_queued_bytes;
}

std::optional<protocol::Reply> Inbox::admit(Incoming incoming) {
  const std::uint64_t seq = protocol::sequence(incoming.request);
  const std::size_t bytes = incoming.packed.size();
  const bool is_shutdown = std::holds_alternative<protocol::Shutdown>(incoming.request);
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_)
      return protocol::failed_reply(seq, ErrorKind::engine_lost,
                                    "the engines are leaving: a client has shut them down");
    for (const auto& [client, why] : ended_clients_)
      if (client == incoming.client && !is_shutdown)
        return protocol::failed_reply(seq, ErrorKind::engine_lost, why);
    if (const auto epoch = epoch_of(incoming.request); epoch != 0 && !ended_epochs_.empty()) {
      const auto is_over = [&](const EndedEpoch& ended) {
        return ended.client == incoming.client && ended.epoch == epoch;
      };
      if (std::any_of(ended_epochs_.begin(), ended_epochs_.end(), is_over)) return cancelled_reply(seq);
      forget_ended_epoch(incoming.client);
    }
    const bool is_full =
        queue_.size() >= max_queued_requests || (!queue_.empty() && queued_bytes_ + bytes > max_queued_bytes);
    if (is_full && !is_shutdown)
      return protocol::failed_reply(seq, ErrorKind::protocol,
                                    "too many requests at once: " + std::to_string(queue_.size()) + " with " +
                                        std::to_string(queued_bytes_) +
                                        " bytes wait already; read replies before sending more");
    if (is_shutdown) cut_locked();  // a shutdown does not wait for a long batch
    is_closing_ = is_shutdown;
    queued_bytes_ += bytes;
    queue_.push_back(std::move(incoming));
  }
  has_request_.notify_one();
  return std::nullopt;
}

template <typename Choice>
std::vector<Incoming> Inbox::take_queued(const protocol::Bytes& client, Choice is_meant) {
  std::vector<Incoming> taken;
  for (auto item = queue_.begin(); item != queue_.end();) {
    if (item->client != client || !std::holds_alternative<protocol::Batch>(item->request) ||
        !is_meant(item->request)) {
      ++item;
      continue;
    }
    queued_bytes_ -= item->packed.size();
    taken.push_back(std::move(*item));
    item = queue_.erase(item);
  }
  return taken;
}

std::vector<Incoming> Inbox::cancel(const protocol::Bytes& client, std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  auto dropped = take_queued(client, [&](const protocol::Request& request) {
    return batch == 0 || protocol::sequence(request) == batch;
  });
  if (running_ && running_->request.client == client && (batch == 0 || running_->request.seq == batch))
    cut_locked();
  return dropped;
}

void Inbox::end_client(const protocol::Bytes& client, std::string why) {
  const std::lock_guard lock(mutex_);
  if (ended_clients_.size() >= max_ended_clients) ended_clients_.pop_front();
  ended_clients_.emplace_back(client, std::move(why));
}

void Inbox::cut_running() {
  const std::lock_guard lock(mutex_);
  if (running_ && !running_->is_cut) cut_locked();
}

void Inbox::cut_locked() {
  if (!running_) return;
  running_->is_cut = true;
  cut_(running_->request.seq);
}

std::vector<Inbox::Waiting> Inbox::give_up() {
  std::vector<Waiting> waiting;
  const std::lock_guard lock(mutex_);
  if (running_) waiting.push_back(std::move(running_->request));
  for (Incoming& item : queue_)
    waiting.push_back({std::move(item.client), item.lane, protocol::sequence(item.request)});
  running_.reset();
  queue_.clear();
  queued_bytes_ = 0;
  return waiting;
}

Inbox::State Inbox::state() const {
  const std::lock_guard lock(mutex_);
  const double busy_s = running_ ? std::chrono::duration<double>(Clock::now() - running_->since).count() : 0;
  return {running_.has_value(), busy_s, queue_.size()};
}

}  // namespace gamelan::engine
