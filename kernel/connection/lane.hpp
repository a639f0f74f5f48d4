// SPDX-License-Identifier: BSD-3-Clause
// The client's side of a lane (protocol/lanes/lane.hpp): memory shared with rank 0 of the same machine.
// Requests and replies go through it without a socket. Sending is for one thread at a time, and so is
// receiving.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "kernel/connection/lent_space.hpp"
#include "protocol/lanes/lane_memory.hpp"
#include "protocol/lanes/patience.hpp"

namespace gamelan::kernel {

class Lane {
 public:
  /// Maps the memory that rank 0 offers, and claims a lane in it. Throws Error{os} with the reason when it
  /// cannot be had: rank 0 runs on another machine, in another container, as another user, or all lanes are
  /// taken. `name`: the client's. `ranks`: how many processes will work for its requests.
  Lane(const protocol::LaneOffer& offer, const protocol::Bytes& name, int ranks);
  /// Rank 0 reads what was sent, and then frees the lane.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Writes request `seq` and wakes rank 0. False, and nothing is sent, when there is no room. `payloads`:
  /// the numbers of those that the ranks may read where they lie in this lane, if all ranks map it; so they
  /// are copied once here, and each rank copies its part.
  bool send(std::uint64_t seq, const protocol::Frames& frames, std::span<const std::size_t> payloads = {});
  /// The reply to this request has come, on whatever way: nobody reads what was lent with it any more. For
  /// any thread.
  void end_loan(std::uint64_t seq);

  /// The next reply; nullopt when none is there. Throws Error{protocol}.
  std::optional<protocol::Reply> receive();
  /// A number that rises with every reply, and whether the reply to request `seq` may come over the socket
  /// instead, because it found no room here.
  std::uint64_t replies() const;
  bool is_by_socket(std::uint64_t seq) const;
  /// True when rank 0 found no message where one must begin, and reads this lane no more.
  bool is_refused() const { return words().is_refused.load(); }
  /// Waits until replies() is above `seen`, at most for `limit`, and not at all for 0; stays awake for some
  /// microseconds before it sleeps. Where ranks and notebook are more than the cores, and rank 0 keeps to
  /// some of them, it sleeps at once and on those. False when a signal ended the wait.
  bool wait(std::uint64_t seen, std::chrono::milliseconds limit);

 private:
  protocol::LaneWords& words() const { return region_->lanes[lane_]; }
  /// The request as it is sent when what finds room is lent.
  protocol::Frames lending(std::uint64_t seq, const protocol::Frames& frames,
                           std::span<const std::size_t> payloads);

  protocol::LaneMemory region_;
  std::size_t lane_ = 0;
  const std::int64_t rank_0_;  // its process
  protocol::Patience patience_;
  std::mutex lent_mutex_;  // guards the next
  LentSpace lent_{protocol::LaneRegion::lent_bytes};
};

}  // namespace gamelan::kernel
