// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/lane.hpp"

#include <unistd.h>

#include <algorithm>

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::LaneRegion;
using protocol::LaneState;
using protocol::LaneWords;

Lane::Lane(const protocol::LaneOffer& offer, const protocol::Bytes& name, int ranks)
    : region_(protocol::map_lanes(offer)), patience_(ranks + 1) {
  for (lane_ = 0;; ++lane_) {
    if (lane_ == LaneRegion::lane_count) throw Error(ErrorKind::os, "[lane] all lanes of rank 0 are taken");
    std::uint64_t free = 0;
    if (words().owner.compare_exchange_strong(free, protocol::lane_owner(getpid(), LaneState::claimed)))
      break;
  }
  words().name_bytes = static_cast<std::uint32_t>(std::min(name.size(), LaneWords::max_name_bytes));
  std::copy_n(name.begin(), words().name_bytes, words().name);
  words().is_named.store(true, std::memory_order_release);
}

Lane::~Lane() {
  std::uint64_t own = protocol::lane_owner(getpid(), LaneState::claimed);
  words().owner.compare_exchange_strong(own, protocol::lane_owner(getpid(), LaneState::leaving));
  region_->bell.add(1);
}

bool Lane::send(const protocol::Frames& frames) {
  if (!region_->requests(lane_).write(frames)) return false;
  region_->bell.add(1);
  return true;
}

std::optional<protocol::Reply> Lane::receive() {
  protocol::Ring ring = region_->replies(lane_);
  const auto packed = ring.read();
  if (!packed) return std::nullopt;
  auto frames = protocol::unpack(*packed);
  ring.release();
  return protocol::decode_reply(std::move(frames));
}

std::uint64_t Lane::replies() const { return words().replies.value(); }

bool Lane::is_by_socket(std::uint64_t seq) const { return words().by_socket.load() >= seq; }

bool Lane::wait(std::uint64_t seen, std::chrono::milliseconds limit) {
  return patience_.wait_awake(words().replies, seen + 1) || words().replies.sleep_below(seen + 1, limit);
}

}  // namespace gamelan::kernel
