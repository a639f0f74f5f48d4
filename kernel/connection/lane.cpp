// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/lane.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "kernel/connection/cores_of.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::LaneRegion;
using protocol::LaneState;
using protocol::LaneWords;

Lane::Lane(const protocol::LaneOffer& offer, const protocol::Bytes& name, int ranks)
    : region_(protocol::map_lanes(offer)), rank_0_(offer.process_id), patience_(ranks + 1) {
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

bool Lane::send(std::uint64_t seq, const protocol::Frames& frames, std::span<const std::size_t> payloads) {
  const bool lends = !payloads.empty() && region_->takes_lent.load();
  if (!region_->requests(lane_).write(lends ? lending(seq, frames, payloads) : frames)) {
    end_loan(seq);
    return false;
  }
  region_->bell.add(1);
  return true;
}

protocol::Frames Lane::lending(std::uint64_t seq, const protocol::Frames& frames,
                               std::span<const std::size_t> payloads) {
  protocol::Frames message(frames.size());
  const auto frame_of = [](std::size_t payload) { return 2 + payload; };  // behind header and commands
  for (const std::size_t payload : payloads) {
    const protocol::Bytes& elements = frames[frame_of(payload)];
    std::optional<std::size_t> place;
    {
      const std::scoped_lock lock(lent_mutex_);
      place = lent_.take(seq, elements.size());
    }
    if (!place) continue;
    const std::size_t offset = LaneRegion::lent_begin(lane_) + *place;
    std::memcpy(reinterpret_cast<std::byte*>(region_.get()) + offset, elements.data(), elements.size());
    message[frame_of(payload)] = protocol::lent_payload({offset, elements.size()});
  }
  for (std::size_t frame = 0; frame < frames.size(); ++frame)
    if (message[frame].empty()) message[frame] = frames[frame];
  return message;
}

void Lane::end_loan(std::uint64_t seq) {
  const std::scoped_lock lock(lent_mutex_);
  lent_.release(seq);
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
  if (limit.count() <= 0 || words().replies.has_reached(seen + 1)) return true;
  // Without a core of its own this thread would only hold up rank 0, which wakes it cheaply on the same core.
  std::optional<CoresOf> beside_rank_0;
  if (!patience_.has_a_core()) beside_rank_0.emplace(rank_0_);
  const bool is_beside_it = beside_rank_0 && beside_rank_0->is_bound();
  if (!is_beside_it && patience_.wait_awake(words().replies, seen + 1)) return true;
  return words().replies.sleep_below(seen + 1, limit);
}

}  // namespace gamelan::kernel
