// SPDX-License-Identifier: BSD-3-Clause
// Between rank 0's two threads: what the server has received and the main thread will execute, and which of
// it is being executed. Every rule about queueing and cancelling is here, under one mutex that is held for
// moments. Knows no socket and no MPI. Used by server.cpp.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "protocol/codec.hpp"

namespace gamelan::engine {

/// A request for the main thread.
struct Incoming {
  protocol::Bytes client;     ///< to whom the reply goes: a name of clients.hpp
  protocol::Frames frames;    ///< as received: what is broadcast to the other ranks
  protocol::Request request;  ///< the same, decoded: Batch, Configure or Shutdown
};

class Inbox {
 public:
  /// `cut` stops the request that is being executed, by its sequence number; called under the mutex, so that
  /// it can never hit the request after the one that was meant.
  explicit Inbox(std::function<void(std::uint64_t seq)> cut) : cut_(std::move(cut)) {}

  // The main thread's side.
  std::optional<Incoming> next(std::chrono::milliseconds timeout);  ///< it is being executed from now on
  std::uint64_t finish();                                           ///< its reply is known; its number
  bool is_executing_of(const protocol::Bytes& client) const;        ///< a request of that client
  bool is_cut() const;                                              ///< what is being executed was cancelled

  // The side of whoever holds the socket.
  /// Queues a request, or says why not: a failed reply. A Shutdown is always taken, cuts what runs and is the
  /// last.
  std::optional<protocol::Reply> admit(Incoming incoming);
  /// Cuts the batch `batch` of one client (0 = every one of its) where it is executed; takes it from the
  /// queue where it still waits and returns what was taken: the caller replies. Clients number their batches
  /// independently.
  std::vector<Incoming> cancel(const protocol::Bytes& client, std::uint64_t batch);
  void cut_running();  ///< nobody waits for it any more
  /// What is queued or being executed, without its frames; the inbox is empty afterwards.
  struct Waiting {
    protocol::Bytes client;
    std::uint64_t seq;
  };
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
    protocol::Bytes client;
    std::uint64_t seq;
    bool is_cut;
    Clock::time_point since;
  };
  void cut_locked();

  const std::function<void(std::uint64_t seq)> cut_;
  mutable std::mutex mutex_;
  std::condition_variable has_request_;
  std::deque<Incoming> queue_;
  std::size_t queued_bytes_ = 0;
  bool is_closing_ = false;
  std::optional<Running> running_;
};

}  // namespace gamelan::engine
