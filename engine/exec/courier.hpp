// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks that share no memory, by MPI. What a plan foresees is sent before the step and received while it
// computes; what only data can tell is swapped within the step. What arrives is laid down in a *mirror* of its owner's
// block, at the same place as there, so that the steps read it as they read a neighbour's block on the node. Every rank
// runs the same steps, so messages need no names. Owned by the Executor; only made when there are several nodes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/board.hpp"
#include "engine/comm.hpp"
#include "engine/dist/exchange.hpp"
#include "engine/dist/heap.hpp"
#include "engine/dist/storage.hpp"

namespace gamelan::engine::exec {

using protocol::Bytes;

class Courier {
 public:
  struct Counters {
    std::uint64_t bytes_sent = 0, bytes_received = 0, messages = 0;
  };

  Courier(Comm& comm, dist::Heap& heap, Board& board);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  // Per step, in this order; each is called by every rank, whatever has failed.
  /// Sends what others read of this rank's blocks, and makes ready to receive. `storages`, by slot, live until finish().
  void begin(const std::vector<dist::Reading>& readings, std::span<const dist::StoragePtr> storages);
  /// Gives MPI the time to move what is under way. Cheap; call it now and then while computing.
  void progress();
  /// Until everything that was announced by begin() lies in the mirrors. Throws Error{engine_lost}.
  void await();
  /// Swaps bytes with other ranks: what `outgoing` holds for a far rank comes out as `incoming` of this rank there. Collective
  /// over all ranks of the job.
  std::map<int, Bytes> swap(std::map<int, Bytes> outgoing);
  /// Waits for what is left. `swaps`: how many of them the step has on every rank; this rank takes part in those that it
  /// has left out because something failed.
  void finish(int swaps);

  /// So much has been written into mirrors by who called swap().
  void note_mirrored(std::int64_t bytes) { mirrored_bytes_ += bytes; }

  /// Until MPI has let go of all that was sent. Before this rank sleeps without looking after messages.
  void flush() { drop_sent(true); }

  bool has_open_receives() const { return open_receives_ > 0; }
  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  /// False: what is announced is awaited before the step computes (to measure what hiding is worth).
  void set_hiding(bool hides) { hides_ = hides; }

 private:
  struct Incoming {
    dist::Message message;
    Bytes bytes;
    std::vector<MPI_Request> requests;
  };
  void post(std::vector<MPI_Request>& requests, bool is_send, int partner, std::span<std::byte> bytes);
  void pack(const dist::Message& message, Bytes& bytes) const;
  void lay_down(const Incoming& incoming);
  bool receive_some();
  template <class Ready>
  void wait_until(Ready is_ready);
  void drop_sent(bool waits);

  Comm& comm_;
  dist::Heap& heap_;
  Board& board_;
  Counters counters_;
  bool hides_ = true;
  std::vector<dist::Reading> readings_;  // of the running step; the messages point into them
  std::span<const dist::StoragePtr> storages_;
  std::vector<Incoming> incoming_;
  std::size_t open_receives_ = 0;
  struct Sent {
    Bytes bytes;
    std::vector<MPI_Request> requests;
  };
  std::vector<Sent> sent_;
  std::int64_t sent_bytes_ = 0, mirrored_bytes_ = 0;
  int swaps_done_ = 0;
};

}  // namespace gamelan::engine::exec
