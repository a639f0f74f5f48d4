// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/lane.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;
using protocol::LaneRegion;
using protocol::LaneState;
using protocol::LaneWords;

namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::os, "[lane] " + what); }

/// Maps the descriptor of another process of ours. /proc gives it only to the same user, and only where the
/// other process is visible.
LaneRegion* map(const protocol::LaneOffer& offer) {
  if (offer.layout != LaneRegion::layout) fail("rank 0 is of another build");
  char own[32] = {};  // our number as /proc counts: rank 0 asks by it whether we live
  if (readlink("/proc/self", own, sizeof own - 1) <= 0 || std::to_string(getpid()) != own)
    fail("this process has another number than /proc says, as in another container");
  const std::string path =
      "/proc/" + std::to_string(offer.process_id) + "/fd/" + std::to_string(offer.descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail("rank 0's shared memory cannot be opened: " + std::string(std::strerror(errno)));
  struct stat facts {};
  const bool has_size = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                        static_cast<std::size_t>(facts.st_size) == LaneRegion::total_bytes;
  void* memory = has_size
                     ? mmap(nullptr, LaneRegion::total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  if (!has_size) fail("rank 0 runs where its processes have other numbers, as in another container");
  if (memory == MAP_FAILED)
    fail("rank 0's shared memory cannot be mapped: " + std::string(std::strerror(errno)));
  madvise(memory, LaneRegion::total_bytes, MADV_DONTFORK);  // a child must not write into our lane
  return static_cast<LaneRegion*>(memory);
}

}  // namespace

void Lane::Unmap::operator()(LaneRegion* region) const { munmap(region, LaneRegion::total_bytes); }

Lane::Lane(const protocol::LaneOffer& offer, const protocol::Bytes& name, int ranks)
    : region_(map(offer)), patience_(ranks + 1) {
  if (region_->proof.load() != offer.proof)
    fail("rank 0 runs where its processes have other numbers, as in another container");
  for (lane_ = 0;; ++lane_) {
    if (lane_ == LaneRegion::lane_count) fail("all lanes of rank 0 are taken");
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
