// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks that share no memory, by MPI. What a plan foresees is sent before the step, and
// received while the step computes. What only data can tell is swapped within the step. Received elements are
// stored in a *ghost buffer*, at the same offset as in their owner's block, so the steps read them as they
// read a neighbour's block on the node. Every rank runs the same steps, so messages need no names. This is
// also the one place that decides what a rank sends to the others after it has failed: all messages are
// posted, the error is remembered, all receives are completed. Owned by the Executor, where there are several
// nodes.
#pragma once
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "engine/distribution/exchange.hpp"
#include "engine/distribution/heap.hpp"
#include "engine/distribution/storage.hpp"
#include "engine/nodes/board.hpp"
#include "engine/ranks/comm.hpp"

namespace gamelan::engine::steps {

using protocol::Bytes;

/// Another rank has failed and reports why. This rank cannot go on without its data, and reports nothing.
struct FollowsFailure : std::runtime_error {
  explicit FollowsFailure(int failed)
      : std::runtime_error("[run] rank " + std::to_string(failed) + " has failed and sends nothing"),
        rank(failed) {}
  int rank;
};

class GhostExchange {
 public:
  struct Counters {
    std::uint64_t bytes_sent = 0, bytes_received = 0, messages = 0;
  };

  /// Throws Error{memory}.
  GhostExchange(Comm& comm, distribution::Heap& heap, Board& board);
  ~GhostExchange();
  GhostExchange(const GhostExchange&) = delete;
  GhostExchange& operator=(const GhostExchange&) = delete;

  /// To be called before the first step of a batch: failures of the last batch are over.
  void start() { is_silent_ = false; }
  /// Runs a step: sends what other ranks read of this rank's blocks, receives while `body` computes, and
  /// takes part in `swaps` swaps. `storages` are indexed by slot. Whatever fails here, every other rank gets
  /// what it waits for: data, or the message that there are none. Then this throws the first failure. A rank
  /// that has failed sends no more data until start(), and its bodies do not run. Collective, for each step.
  /// Throws Error{engine_lost} at once, with messages left under way.
  void run_step(const distribution::Exchange& exchange, std::span<const distribution::StoragePtr> storages,
                int swaps, const std::function<void()>& body);
  /// To be called when the next step has failed on this rank before it began.
  void fall_silent() { is_silent_ = true; }
  /// To be called after the last step. Waits until MPI has sent everything, because this rank may now sleep
  /// without looking after messages. Releases the pages of large ghost buffers.
  void rest();

  // For bodies.
  /// Gives MPI time to move messages. Cheap; to be called now and then while computing. Never throws.
  void progress();
  /// Waits until everything that the plan foresees is in the ghost buffers. Throws what has gone wrong with
  /// it.
  void await();
  /// Swaps bytes with other ranks: what rank a has in `outgoing` for rank b is returned on rank b as
  /// `incoming` from a. Collective over all ranks of the job. When one rank has failed, throws FollowsFailure
  /// on all others.
  std::map<int, Bytes> swap(std::map<int, Bytes> outgoing);
  /// Makes sure of memory: `ghosts` bytes of ghost buffers (whole pages) will be written and `passing` bytes
  /// used on the way, on each of `ranks` ranks of the node. Throws Error{memory} when there is no room.
  void make_room(std::int64_t ghosts, std::int64_t passing, int ranks);

  /// True when this rank reads blocks of other nodes in the running step, also when all of it has come
  /// already.
  bool reads_remote() const { return exchange_ && !exchange_->receives.empty(); }
  /// True when messages are under way, in or out.
  bool is_busy() const { return !is_lost_ && (open_receives_ > 0 || !sent_.empty()); }
  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  /// With false, a step waits for its messages before it computes. This is for measuring what it gains to
  /// hide them.
  void set_hiding(bool hides) { hides_ = hides; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds longest_push{20};  // behind the last message
  using Requests = std::vector<MPI_Request>;
  using Memory = std::unique_ptr<std::byte[]>;
  struct Incoming {
    const distribution::Message* message;
    Memory bytes;
    Requests requests;
    std::vector<MPI_Status> statuses;
  };
  struct Sent {
    std::int64_t size;
    Memory bytes;
    Requests requests;
  };
  struct Swap {  // not on the stack: should the wait end with a lost node, MPI still has them
    std::map<int, Bytes> outgoing, incoming;
    Requests requests;
  };
  void begin(const distribution::Exchange& exchange, std::span<const distribution::StoragePtr> storages);
  void finish(int swaps);
  void begin_receives();
  void begin_send(const distribution::Message& message);
  void pack(const distribution::Message& message, std::byte* next) const;
  void lay_down(const Incoming& incoming);
  bool receive_some();
  void push() const;
  bool announce();
  void swap_nothing();
  void drop_sent(bool waits);
  void trim_ghosts();

  /// Runs `part`. False when it throws; the first exception is remembered.
  template <class Part>
  bool attempt(Part part);
  void wait_until(const std::function<bool()>& is_ready);
  void wait(MPI_Request request) {
    wait_until([&request] { return is_complete(request); });
  }
  // These never throw: `requests` has room.
  void post(Requests& requests, bool is_send, int partner, int tag, std::byte* bytes, std::int64_t size);
  void post_nothing(int partner, std::int64_t size);
  /// Receives a message into memory that is not used.
  void drain(int partner, int tag, std::int64_t size);

  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  Counters counters_;
  bool hides_ = true;
  const distribution::Exchange* exchange_ = nullptr;  // of the running step
  std::span<const distribution::StoragePtr> storages_;
  std::vector<Incoming> incoming_;  // of the first receives: those beyond could not be made ready
  std::size_t open_receives_ = 0;
  std::vector<Sent> sent_;
  Swap swap_;
  std::vector<std::int64_t> going_, coming_;  // by rank
  std::int64_t sent_bytes_ = 0;
  Clock::time_point last_send_{};  // long ago: nothing was sent yet
  std::int64_t ghost_bytes_ = 0;   // upper bound of the bytes in ghost buffers that hold pages
  int swaps_done_ = 0;
  std::exception_ptr failure_;  // of the running step
  bool is_silent_ = false;      // this rank has failed
  bool is_lost_ = false;        // a node is gone: nothing is touched any more
  Memory drain_;                // taken at the start, when there is memory
};

}  // namespace gamelan::engine::steps
