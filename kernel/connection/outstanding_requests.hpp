// SPDX-License-Identifier: BSD-3-Clause
// Requests that are not yet answered, by their sequence numbers: their frames are held until the reply comes,
// so that a new connection can have them again, and replies are held until somebody takes them. Heartbeats
// are numbered with the requests and are never sent again. Data only: no sockets, no clock, and no locks; the
// client guards it by a mutex.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "protocol/codec.hpp"

namespace gamelan::kernel {

class OutstandingRequests {
 public:
  using SharedFrames = std::shared_ptr<const protocol::Frames>;
  struct Numbers {
    std::uint64_t seq;    ///< of the new request
    std::uint64_t heard;  ///< every reply up to this number has come
  };
  /// A fresh number for a request that will be encoded now and added then; one at a time.
  Numbers begin();
  /// The request begun, encoded; queued to be sent.
  void add(std::uint64_t seq, SharedFrames frames);
  /// The request begun has gone by the lane: it is not sent again, whatever the connection does.
  void add_by_lane(std::uint64_t seq);
  bool is_by_lane(std::uint64_t seq) const;
  /// It could not go there: it is the request begun again.
  void take_back(std::uint64_t seq);
  /// True while a request that went by the socket is unanswered: what follows it must not overtake it.
  bool is_socket_in_use() const { return by_socket_ > 0; }
  /// Queues a heartbeat under a fresh number. It tells rank 0 which replies have come.
  void add_heartbeat();

  bool has_queued() const { return !queue_.empty(); }
  /// The next frames to be sent; has_queued() must hold.
  SharedFrames take_queued();
  /// They could not be sent: they are the next again.
  void put_back(SharedFrames frames) { queue_.push_front(std::move(frames)); }
  /// A new connection: what is unanswered is queued in order, and nothing else.
  void queue_unanswered();

  /// True for the answer to a heartbeat, once.
  bool answer_heartbeat(std::uint64_t seq) { return heartbeats_.erase(seq) > 0; }
  /// Keeps a reply for who takes it; false when it came already or was forgotten.
  bool add_reply(protocol::Reply reply);
  std::optional<protocol::Reply> take_reply(std::uint64_t seq);
  /// Nobody will take the reply to `seq`.
  void forget(std::uint64_t seq);

 private:
  std::uint64_t heard_so_far() const;

  std::uint64_t last_seq_ = 0;
  std::uint64_t being_made_ = 0;  // the number of a request that is being encoded; 0: none
  std::deque<SharedFrames> queue_;
  std::map<std::uint64_t, SharedFrames> unanswered_;  // no frames: by the lane
  std::size_t by_socket_ = 0;                         // of the unanswered ones
  std::map<std::uint64_t, protocol::Reply> replies_;
  std::set<std::uint64_t> forgotten_;
  std::set<std::uint64_t> heartbeats_;  // not yet answered
};

}  // namespace gamelan::kernel
