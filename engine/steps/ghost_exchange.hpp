// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks that share no memory, by MPI. What a plan foresees is sent before the step and
// received while it computes; what only data can tell is swapped within the step. What arrives is laid down
// in a *ghost buffer* of its owner's block, at the same place as there, so that the steps read it as they
// read a neighbour's block on the node. Every rank runs the same steps, so messages need no names. This is
// also the one place that knows what a rank owes the others when it fails: everything is posted, the error
// remembered, all drained. Owned by the Executor, where there are several nodes.
#pragma once
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

/// Another rank has failed, and reports why. What this rank cannot do without its data follows from that:
/// nothing to report.
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

  /// Before the first step of a batch: failures of the last one are over.
  void start() { is_silent_ = false; }
  /// A step: sends what others read of this rank's blocks, receives while `body` computes, takes part in
  /// `swaps` swaps. `storages`, by slot. Whatever fails here, every other rank gets what it waits for: data,
  /// or the word that there are none; then this throws the first failure. A rank that has failed sends no
  /// more data until start(), and its bodies do not run. Every rank calls it, for each step. Throws
  /// Error{engine_lost} at once, with messages left under way.
  void run_step(const distribution::Exchange& exchange, std::span<const distribution::StoragePtr> storages,
                int swaps, const std::function<void()>& body);
  /// The next step has failed on this rank before it began. The caller says so.
  void fall_silent() { is_silent_ = true; }
  /// After the last step: until MPI has let go of all that was sent, for this rank may now sleep without
  /// looking after messages. Ghost buffers that are large by now are given back.
  void rest();

  // For bodies.
  /// Gives MPI the time to move what is under way. Cheap; call it now and then while computing. Never throws.
  void progress();
  /// Until everything that was announced lies in the ghost buffers. Throws what has gone wrong with it.
  void await();
  /// Swaps bytes with other ranks: what `outgoing` holds for a remote rank comes out as `incoming` of this
  /// rank there. Collective over all ranks of the job. Throws FollowsFailure on all others when one has
  /// failed.
  std::map<int, Bytes> swap(std::map<int, Bytes> outgoing);
  /// So many bytes of ghost buffers, in pages, are about to be written, and so many more needed on the way,
  /// on each of `ranks` ranks of the node. Throws Error{memory} where it has no room.
  void make_room(std::int64_t ghosts, std::int64_t passing, int ranks);

  /// Does this rank read blocks of other nodes in the running step? Also true when all of it has come
  /// already.
  bool reads_remote() const { return exchange_ && !exchange_->receives.empty(); }
  /// Has MPI anything to move, in or out?
  bool is_busy() const { return !is_lost_ && (open_receives_ > 0 || !sent_.empty()); }
  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  /// False: what is announced is awaited before the step computes (to measure what hiding is worth).
  void set_hiding(bool hides) { hides_ = hides; }

 private:
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
  bool announce();
  void swap_nothing();
  void drop_sent(bool waits);
  void trim_ghosts();

  /// Runs `part`; false when it throws, which is remembered unless something is already.
  template <class Part>
  bool attempt(Part part);
  void wait_until(const std::function<bool()>& is_ready);
  void wait(MPI_Request request) {
    wait_until([&request] { return is_complete(request); });
  }
  // These never throw: `requests` has room.
  void post(Requests& requests, bool is_send, int partner, int tag, std::byte* bytes, std::int64_t size);
  void post_nothing(int partner, std::int64_t size);
  /// Receives a message into memory that nobody reads.
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
  std::int64_t ghost_bytes_ = 0;  // of ghost buffers that hold pages, at most
  int swaps_done_ = 0;
  std::exception_ptr failure_;  // of the running step
  bool is_silent_ = false;      // this rank has failed
  bool is_lost_ = false;        // a node is gone: nothing is touched any more
  Memory drain_;                // taken at the start, when there is memory
};

}  // namespace gamelan::engine::steps
