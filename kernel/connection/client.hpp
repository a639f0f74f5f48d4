// SPDX-License-Identifier: BSD-3-Clause
// Requests to rank 0 and their replies. The channel has one holder at a time: whoever waits for a reply reads
// it himself, so that no other thread need wake; a thread of the client's own looks in now and then and keeps
// the engines awake with heartbeats. Replies are found by sequence number. A request is held until it is
// answered and sent again on every new connection, under its number, by which rank 0 does it once. Batches
// go by a lane (lane.hpp) where there is one, and the thread that waits sleeps there. Whether
// the engines are still there is the failure detector's question. Knows neither Python nor arrays. Every wait
// has a limit.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernel/connection/outstanding_requests.hpp"
#include "kernel/connection/route.hpp"
#include "protocol/codec.hpp"
#include "protocol/connection.hpp"
#include "protocol/lanes/lane.hpp"

namespace gamelan::kernel {

class Lane;
class Channel;  // keeps ZeroMQ's headers out of this one
class FailureDetector;

class Client {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// Opens the channel and starts the thread; says nothing yet. Routes and directory as for Channel. Throws
  /// what Channel throws.
  Client(const protocol::Connection& connection, std::vector<Route> routes, std::string directory);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Requests go through memory that is shared with rank 0 from now on, where that is possible; `ranks`: how
  /// many processes work for them. Without it, or where it is not possible, they go over the channel.
  /// Returns why it is not possible; empty when it is. To be called after the greeting, once.
  std::string open_lane(const protocol::LaneOffer& offer, int ranks);
  bool has_lane() const { return has_lane_.load(); }
  using SharedFrames = OutstandingRequests::SharedFrames;
  /// Sends a request under a fresh sequence number, which it returns. Never blocks: what the socket does not
  /// take now leaves later, in order. Throws Error{engine_lost} once the engines are known to be gone; the
  /// request is as it was then. `frames`: if given, is set to the encoded request.
  std::uint64_t send(protocol::Request&& request, SharedFrames* frames = nullptr);
  /// Waits at most `limit` for the reply to `seq`; nullopt when it has not come, also after a signal. Throws
  /// Error{engine_lost} when it cannot come any more.
  std::optional<protocol::Reply> take(std::uint64_t seq, Milliseconds limit);
  /// The reply to `seq` is not wanted: dropped when it comes.
  void forget(std::uint64_t seq);
  /// Declares the engines gone, for a reason found elsewhere (the launcher saw them die).
  void lose(const std::string& cause);
  std::optional<std::string> lost_cause() const;
  /// Why nothing is heard of engines that do not count as lost yet; nullopt while they answer as usual.
  std::optional<std::string> suspension() const;
  /// Is there a cause? Asked before every command: no lock.
  bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }
  /// JSON of what rank 0 said of itself in answer to the newest heartbeat (steps, no counters); "{}" before
  /// the first.
  std::string last_status() const;
  /// How rank 0 is reached, as people are told, and how often a connection was made.
  std::string route() const;
  std::uint64_t connections() const;

 private:
  void run();
  /// Serves the socket once, after waiting at most `limit` for something to come; false after a signal. What
  /// fails here is the end of the engines for all callers.
  bool serve(Milliseconds limit);
  void send_now();
  /// Sends a request by the lane, if there is one, it has room, and the request would overtake nothing.
  /// `payloads`: those that may be lent.
  bool send_by_lane(std::uint64_t seq, const protocol::Frames& frames, std::span<const std::size_t> payloads);
  void accept(protocol::Reply reply);  // with the mutex held; from the lane or the channel
  /// Takes every reply that lies in the lane.
  void read_lane();
  bool has_queued() const;
  void set_lost(const std::string& cause);
  void set_lost_locked(const std::string& cause);  // with the mutex held
  // By the holder of the channel.
  void beat();
  /// False when something stays queued because the socket takes nothing now.
  bool send_queued();
  void send_unanswered_again();
  void receive_all();
  void watch_connection();

  using Clock = std::chrono::steady_clock;

  std::unique_ptr<Channel> channel_;
  std::unique_ptr<FailureDetector> detector_;  // of the channel
  std::mutex holding_;  // of the channel, its detector and the next; taken before mutex_
  Clock::time_point last_beat_;

  std::mutex numbering_;        // requests enter the queue in the order of their numbers; taken before mutex_
  std::unique_ptr<Lane> lane_;  // sends under numbering_, receives under reading_
  std::atomic<bool> has_lane_{false};
  std::mutex reading_;  // taken before mutex_

  mutable std::mutex mutex_;  // guards everything below; never held over a socket call
  std::condition_variable arrived_, ending_;
  bool is_read_ = false;  // some caller waits at the socket; the others wait for arrived_
  OutstandingRequests requests_;
  std::string status_ = "{}", route_ = "none: connecting";
  std::uint64_t connections_ = 0;
  std::optional<std::string> lost_, suspension_;
  std::atomic<bool> is_lost_{false};  // once lost_ says why
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace gamelan::kernel
