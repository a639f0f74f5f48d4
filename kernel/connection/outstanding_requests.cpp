// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/outstanding_requests.hpp"

namespace gamelan::kernel {

using protocol::Frames;

OutstandingRequests::Numbers OutstandingRequests::begin() {
  const std::uint64_t heard = heard_so_far();
  being_made_ = ++last_seq_;
  return {being_made_, heard};
}

void OutstandingRequests::add(std::uint64_t seq, SharedFrames frames) {
  unanswered_.emplace(seq, frames);
  ++by_socket_;
  being_made_ = 0;
  queue_.push_back(std::move(frames));
}

void OutstandingRequests::add_by_lane(std::uint64_t seq) {
  unanswered_.emplace(seq, nullptr);
  being_made_ = 0;
}

void OutstandingRequests::take_back(std::uint64_t seq) {
  unanswered_.erase(seq);
  being_made_ = seq;
}

bool OutstandingRequests::is_by_lane(std::uint64_t seq) const {
  const auto request = unanswered_.find(seq);
  return request != unanswered_.end() && request->second == nullptr;
}

void OutstandingRequests::add_heartbeat() {
  const std::uint64_t heard = heard_so_far();
  heartbeats_.insert(++last_seq_);
  queue_.push_back(std::make_shared<const Frames>(
      protocol::encode(protocol::Request{protocol::Heartbeat{last_seq_, heard}})));
}

std::uint64_t OutstandingRequests::heard_so_far() const {
  if (!unanswered_.empty()) return unanswered_.begin()->first - 1;
  // A request that is still being encoded has its number and is in no list yet; a heartbeat may overtake it.
  return being_made_ != 0 ? being_made_ - 1 : last_seq_;
}

OutstandingRequests::SharedFrames OutstandingRequests::take_queued() {
  SharedFrames frames = std::move(queue_.front());
  queue_.pop_front();
  return frames;
}

void OutstandingRequests::queue_unanswered() {
  heartbeats_.clear();
  queue_.clear();  // what was never sent is unanswered, too
  for (const auto& [seq, frames] : unanswered_)
    if (frames != nullptr) queue_.push_back(frames);
}

bool OutstandingRequests::add_reply(protocol::Reply reply) {
  const auto request = unanswered_.find(reply.seq);
  if (request == unanswered_.end()) return false;
  if (request->second != nullptr) --by_socket_;
  unanswered_.erase(request);
  if (forgotten_.erase(reply.seq) > 0) return false;
  replies_.insert_or_assign(reply.seq, std::move(reply));
  return true;
}

std::optional<protocol::Reply> OutstandingRequests::take_reply(std::uint64_t seq) {
  if (auto node = replies_.extract(seq)) return std::move(node.mapped());
  return std::nullopt;
}

void OutstandingRequests::forget(std::uint64_t seq) {
  if (replies_.erase(seq) == 0) forgotten_.insert(seq);
}

}  // namespace gamelan::kernel
