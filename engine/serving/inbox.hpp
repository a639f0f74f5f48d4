// SPDX-License-Identifier: BSD-3-Clause
// The queue between rank 0's two threads: requests that the server has received for the main thread, and the
// one that is being executed. All rules about queueing and cancelling are here, under one mutex that is held
// only for moments. No sockets and no MPI. Used by server.cpp and listener.cpp.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/serving/lanes.hpp"
#include "protocol/codec.hpp"

namespace gamelan::engine {

/// A request for the main thread.
struct Incoming {
  protocol::Bytes client;         ///< who gets the reply: a name of clients.hpp
  std::optional<LaneClaim> lane;  ///< by which it came, and the reply goes; else by the socket
  protocol::Bytes packed;         ///< as received, to be broadcast to the other ranks
  protocol::Request request;      ///< the same, decoded: a Batch, Configure or Shutdown
};

class Inbox {
 public:
  /// `cut` stops the request that is being executed, given by its sequence number. It is called under the
  /// mutex, so it can never stop the request after the one that was meant.
  explicit Inbox(std::function<void(std::uint64_t seq)> cut) : cut_(std::move(cut)) {}

  // For the main thread.
  std::optional<Incoming> next(std::chrono::milliseconds timeout);  ///< being executed from now on
  /// A request that was queued or being executed, without its bytes.
  struct Waiting {
    protocol::Bytes client;
    std::optional<LaneClaim> lane;
    std::uint64_t seq = 0;
  };
  struct Finished {
    Waiting request;  ///< who waits for the reply
    std::vector<Incoming>
        behind;  ///< of the same epoch, taken from the queue: the caller says that they are cancelled
  };
  /// The request was executed. When a batch `has_failed`, or was cut, no batch of its epoch runs after it.
  Finished finish(bool has_failed);
  bool is_executing_of(const protocol::Bytes& client) const;  ///< a request of that client
  bool is_cut() const;                                        ///< the one being executed was cancelled

  // For any thread.
  /// False when admit() would refuse another small request.
  bool has_room() const;

  // For the thread that holds the socket, and for who reads the lanes.
  /// Queues a request, or returns the reply when it will not run: failed, with the reason, or cancelled, when
  /// a batch of its epoch has failed. A Shutdown is always accepted; it cuts the request that runs, and
  /// nothing is accepted after it.
  std::optional<protocol::Reply> admit(Incoming incoming);
  /// Cuts the batch `batch` of one client (0 = all its batches). A batch that is being executed is stopped.
  /// Batches that still wait are taken from the queue and returned, and the caller replies to them. Each
  /// client numbers its batches by itself.
  std::vector<Incoming> cancel(const protocol::Bytes& client, std::uint64_t batch);
  /// The arrays of this client are gone: its requests are refused from now on, for this reason.
  void end_client(const protocol::Bytes& client, std::string why);
  void cut_running();  ///< because no client waits for it any more
  std::vector<Waiting> give_up();

  struct State {
    bool is_busy;
    double busy_s;
    std::size_t queued;
  };
  State state() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Waiting request;
    std::uint64_t epoch;  // 0: none
    bool is_cut;
    Clock::time_point since;
  };
  void cut_locked();
  void forget_ended_epoch(const protocol::Bytes& client);
  /// Takes those batches of the client from the queue that `is_meant` chooses.
  template <typename Choice>
  std::vector<Incoming> take_queued(const protocol::Bytes& client, Choice is_meant);

  const std::function<void(std::uint64_t seq)> cut_;
  mutable std::mutex mutex_;
  std::condition_variable has_request_;
  std::deque<Incoming> queue_;
  std::size_t queued_bytes_ = 0;
  bool is_closing_ = false;
  std::optional<Running> running_;
  struct EndedEpoch {
    protocol::Bytes client;
    std::uint64_t epoch;
  };
  std::deque<std::pair<protocol::Bytes, std::string>> ended_clients_;  // and why
  std::deque<EndedEpoch> ended_epochs_;  // in which a batch has failed, until the client begins another
};

/// The reply to a batch that will not run, because another of its epoch has failed or was cut.
protocol::Reply cancelled_reply(std::uint64_t seq);

}  // namespace gamelan::engine
