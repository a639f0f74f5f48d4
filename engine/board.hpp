// SPDX-License-Identifier: BSD-3-Clause
// The board that all players see: control words in the heap, by which the ranks of a node pass messages, tell
// each other how far they are, and agree where an interrupt cuts. An idle rank sleeps here and costs nothing.
// Called by session (exchange), executor (steps) and, for request_cut only, by whoever serves rank 0's socket. Knows
// no arrays.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/comm.hpp"
#include "engine/counter.hpp"
#include "engine/dist/heap.hpp"
#include "engine/tickets.hpp"

namespace gamelan::engine {

class Board {
 public:
  /// Takes its words from the heap. Collective. Throws Error{not_implemented} on several nodes,
  /// Error{memory}.
  Board(Comm& comm, dist::Heap& heap);
  /// When all ranks are idle.
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Rank 0 passes a message of any size and returns it at once; the other ranks sleep until it is there.
  /// Collective. Rank 0 runs ahead by a few messages at most: none is overwritten before every rank has read
  /// it. Like every wait of the board, throws Error{engine_lost} on a rank that finds the awaited rank or the
  /// launcher gone.
  Bytes exchange(Bytes mine);

  /// Announces that this rank is about to run `step`. False when an agreed cut is at `step` or before: then
  /// it must not run. Steps are numbered alike on all ranks, from 1, rising; waits while a cut is being
  /// decided.
  bool begin_step(std::uint64_t step);
  /// This rank has finished every step up to `step`. After a cut, call it with the last step that was
  /// planned, so that nobody ever waits for a step that did not run.
  void end_step(std::uint64_t step);
  /// Until `rank` has finished `step`; what it wrote before end_step is visible then.
  void await(int rank, std::uint64_t step);
  std::uint64_t finished(int rank) const { return control(rank).finished.value(); }
  std::uint64_t started(int rank) const { return control(rank).started.value(); }
  /// Pieces of a rank's part of the running step that any rank may do.
  Tickets& tickets(int rank) { return control(rank).tickets; }
  /// Until other ranks have returned `drawn` more of this rank's tickets. Call once for every opening, also with 0.
  void await_returned(std::uint64_t drawn);

  /// Seconds that this rank has spent in await() and await_returned().
  double wait_seconds() const { return wait_seconds_; }
  void reset_wait_seconds() { wait_seconds_ = 0; }

  /// Decides a cut: every step before it will run on every rank, none from it on. Rank 0 only, on any thread,
  /// at any time; returns the cut, the standing one when there is one.
  std::uint64_t request_cut();
  /// Forgets the cut. Rank 0 only, between batches, when all ranks are idle.
  void clear_cut();

 private:
  static constexpr std::size_t slot_count = 8, slot_bytes = 16 * 1024 - sizeof(std::uint64_t);

  struct Slot {
    std::uint64_t length;  ///< when above slot_bytes, the message follows by broadcast
    std::byte bytes[slot_bytes];
  };
  /// One in every rank's part of the heap. Only the owner writes the first group (and others its tickets), only
  /// rank 0 its own second group.
  struct Control {
    SharedCounter finished, started, consumed;
    std::int64_t process_id = 0;
    Tickets tickets;

    SharedCounter posted;    ///< messages
    SharedCounter decision;  ///< 3k: no cut; 3k + 1: one is being decided; 3k + 2: `cut` holds
    alignas(cache_line_bytes) std::atomic<std::uint64_t> cut{0};
    Slot slots[slot_count];
  };

  Control& control(int rank) const { return *controls_[static_cast<std::size_t>(rank)]; }
  /// `watched_rank`: who must live for the wait to end; every rank when negative.
  void wait_for(SharedCounter& counter, std::uint64_t target, int watched_rank);
  void check_alive(int rank) const;

  Comm& comm_;
  dist::Heap& heap_;
  dist::Allocator::Block block_;
  std::vector<Control*> controls_;
  Patience patience_;
  std::int64_t launcher_process_id_;
  bool is_watching_ = true;
  std::uint64_t exchanged_ = 0;
  std::uint64_t given_ = 0;  ///< tickets of this rank that others have drawn
  double wait_seconds_ = 0;
  std::mutex cut_mutex_;  ///< between rank 0's two threads; no other rank ever waits for it
};

}  // namespace gamelan::engine
