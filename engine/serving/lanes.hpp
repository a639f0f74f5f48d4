// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's side of the lanes (protocol/lanes/lane.hpp): the memory, the bell at which the main thread sleeps
// while clients use lanes, requests that clients have written, replies to them. Sockets and arrays are
// unknown here. Any thread may call; reading and freeing lanes are guarded by a mutex. Used by listener.cpp
// and server.cpp.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "protocol/lanes/lane.hpp"
#include "protocol/lanes/patience.hpp"

namespace gamelan::engine {

/// One claim of a lane by a client. No later claim has the same number.
struct LaneClaim {
  std::size_t lane = 0;
  std::uint64_t number = 0;
};

class Lanes {
 public:
  /// Makes the memory. `processes`: how many work for a request, the client's among them. Without it (no
  /// memfd, no address space) nothing is offered, and clients use the socket.
  explicit Lanes(int processes);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// nullopt when there is no memory.
  std::optional<protocol::LaneOffer> offer() const;
  /// Has a client claimed a lane?
  bool is_used() const;

  /// How often the bell was rung, by clients and by ring().
  std::uint64_t rings() const { return region_->bell.value(); }
  void ring() {
    if (region_ != nullptr) region_->bell.add(1);
  }
  /// Returns when the bell has been rung more often than `rings`, or after `limit`. Stays awake for some
  /// microseconds before it sleeps, where there are cores for that.
  void await_ring(std::uint64_t rings, std::chrono::milliseconds limit);

  struct Message {
    LaneClaim claim;
    protocol::Bytes client;  ///< its name
    protocol::Bytes packed;
  };
  /// The next request of any lane; nullopt when none is there.
  std::optional<Message> take();
  /// Writes the reply to request `seq` and wakes the client. False when it must go over the socket: there is
  /// no room, or the client has left.
  bool reply(const LaneClaim& claim, std::uint64_t seq, const protocol::Frames& frames);
  /// Frees the lanes of clients that have left or whose process is gone, once their requests are answered. To
  /// be called now and then, when take() returns nothing.
  void sweep();

 private:
  struct Held {  ///< what this process knows of a lane
    std::uint64_t claim = 0;
    std::uint64_t unanswered = 0;  ///< requests that were taken; what their client lends must stay
    bool is_broken = false;        ///< holds no messages; waits for its client to leave
  };
  std::optional<Message> take_from(std::size_t lane);

  protocol::LaneRegion* region_ = nullptr;
  int descriptor_ = -1;
  protocol::Patience patience_;
  std::mutex mutex_;  // guards the rings' reading ends, the freeing of lanes, and the next
  std::array<Held, protocol::LaneRegion::lane_count> held_;
  std::uint64_t claims_ = 0;
  std::size_t next_lane_ = 0;
};

}  // namespace gamelan::engine
