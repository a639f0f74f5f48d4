// SPDX-License-Identifier: BSD-3-Clause
#include "engine/serving/lanes.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <random>

namespace gamelan::engine {

using protocol::Bytes;
using protocol::Error;
using protocol::LaneRegion;
using protocol::LaneState;
using protocol::LaneWords;

namespace {

bool is_gone(std::int64_t process_id) {
  return kill(static_cast<pid_t>(process_id), 0) != 0 && errno == ESRCH;
}

std::uint64_t random_number() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

}  // namespace

Lanes::Lanes(int processes) : patience_(processes) {
  descriptor_ = memfd_create("gamelan-lanes", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, LaneRegion::total_bytes) != 0) return;
  void* memory = mmap(nullptr, LaneRegion::total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) return;
  region_ = new (memory) LaneRegion;
  region_->proof.store(random_number());
}

Lanes::~Lanes() {
  if (region_ != nullptr) munmap(region_, LaneRegion::total_bytes);
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<protocol::LaneOffer> Lanes::offer() const {
  if (region_ == nullptr) return std::nullopt;
  return protocol::LaneOffer{getpid(), descriptor_, region_->proof.load(), LaneRegion::layout};
}

bool Lanes::is_used() const {
  if (region_ == nullptr) return false;
  for (const LaneWords& words : region_->lanes)
    if (words.owner.load(std::memory_order_relaxed) != 0) return true;
  return false;
}

void Lanes::await_ring(std::uint64_t rings, std::chrono::milliseconds limit) {
  if (!patience_.wait_awake(region_->bell, rings + 1)) region_->bell.sleep_below(rings + 1, limit);
}

std::optional<Lanes::Message> Lanes::take() {
  if (region_ == nullptr) return std::nullopt;
  const std::lock_guard lock(mutex_);
  for (std::size_t count = 0; count < LaneRegion::lane_count; ++count) {
    const std::size_t lane = next_lane_;
    next_lane_ = (next_lane_ + 1) % LaneRegion::lane_count;
    if (auto message = take_from(lane)) return message;
  }
  return std::nullopt;
}

std::optional<Lanes::Message> Lanes::take_from(std::size_t lane) {
  LaneWords& words = region_->lanes[lane];
  Held& held = held_[lane];
  if (!words.is_named.load(std::memory_order_acquire) || held.is_broken) return std::nullopt;
  try {
    protocol::Ring ring = region_->requests(lane);
    const auto bytes = ring.read();
    if (!bytes) return std::nullopt;
    if (held.claim == 0) held.claim = ++claims_;
    Message message{
        {lane, held.claim},
        Bytes(words.name, words.name + std::min<std::size_t>(words.name_bytes, LaneWords::max_name_bytes)),
        Bytes(bytes->begin(), bytes->end())};
    ring.release();
    ++held.unanswered;
    return message;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gamelan-engine: a client's lane is not read any more: %s\n", error.what());
    held.is_broken = true;
    words.is_refused.store(true);
    words.replies.add(1);
    return std::nullopt;
  }
}

bool Lanes::reply(const LaneClaim& claim, std::uint64_t seq, const protocol::Frames& frames) {
  const std::lock_guard lock(mutex_);
  Held& held = held_[claim.lane];
  if (held.claim != claim.number) return false;
  --held.unanswered;
  LaneWords& words = region_->lanes[claim.lane];
  const bool is_written = region_->replies(claim.lane).write(frames);
  if (!is_written) words.by_socket.store(std::max(seq, words.by_socket.load()));
  words.replies.add(1);
  return is_written;
}

void Lanes::sweep() {
  if (region_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (std::size_t lane = 0; lane < LaneRegion::lane_count; ++lane) {
    LaneWords& words = region_->lanes[lane];
    const std::uint64_t owner = words.owner.load(std::memory_order_acquire);
    if (owner == 0) continue;
    const bool is_over =
        protocol::lane_state(owner) == LaneState::leaving || is_gone(protocol::lane_process(owner));
    if (!is_over) continue;
    const protocol::RingWords& requests = words.request_words;
    if (!held_[lane].is_broken && words.is_named.load() && requests.read.load() != requests.written.load())
      continue;                                // its last requests come first
    if (held_[lane].unanswered > 0) continue;  // ranks may read what it has lent
    held_[lane] = {};
    words.is_named.store(false);
    words.by_socket.store(0);
    words.is_refused.store(false);
    new (&words.replies) protocol::SharedCounter;  // one who was killed in his sleep counts no more
    const auto bytes = region_->bytes(lane);
    madvise(bytes.data(), bytes.size(), MADV_REMOVE);  // its pages
    for (protocol::RingWords* ring : {&words.request_words, &words.reply_words}) {
      ring->written.store(0);
      ring->start.store(0);
      ring->read.store(0);
    }
    words.owner.store(0, std::memory_order_release);
  }
}

}  // namespace gamelan::engine
