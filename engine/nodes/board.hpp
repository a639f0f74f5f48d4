// SPDX-License-Identifier: BSD-3-Clause
// What the ranks agree on: messages from rank 0, the order of steps, where an interrupt cuts, how a batch
// ended. On a node this works by words in shared memory (node_board.hpp), between nodes by a tree of their
// leaders (tree_messages.hpp). Called by the session (exchange, settle), the executor (steps) and, for
// request_cut only, by the thread that serves rank 0's socket. Knows no arrays.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/nodes/node_board.hpp"
#include "engine/nodes/settings.hpp"
#include "engine/nodes/stopped_ranks.hpp"

namespace gamelan::engine {

namespace nodes {
class TreeMessages;
}

class Board {
 public:
  /// Collective. Throws Error{memory}, and Error{os} when the nodes cannot reach each other, on all ranks
  /// alike.
  Board(Comm& comm, distribution::Heap& heap, const nodes::Settings& settings = {});
  /// To be called when all ranks are idle.
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Rank 0 passes on a message of any size and gets it back at once; the other ranks sleep until it is
  /// there. Collective. Rank 0 is ahead by a few messages at most: none is overwritten before every rank has
  /// read it. Like every wait of the board, it throws Error{engine_lost} on a rank that finds the awaited
  /// rank, the launcher or another node gone.
  Bytes exchange(Bytes mine);
  /// Ends what the last message began. On rank 0 it returns when every rank has finished `step`; failures of
  /// `batch` come to rank 0 with this. Collective. The other ranks wait for nobody, except that a leader
  /// waits for its own node.
  void settle(std::uint64_t step, std::uint64_t batch);

  /// Announces that this rank is about to run `step`. False when an agreed cut is at `step` or before: then
  /// the rank must not run it. Steps have the same rising numbers on all ranks, from 1 on. Waits while a cut
  /// is being decided.
  bool begin_step(std::uint64_t step) { return node_.begin_step(step); }
  /// Announces that this rank has finished every step up to `step`. After a cut, call it with the last step
  /// that was planned, so that no rank waits for a step that did not run.
  void end_step(std::uint64_t step) { node_.end_step(step); }
  /// Waits until `rank`, of this node, has finished `step`. What it wrote before end_step is visible then.
  void await(int rank, std::uint64_t step) { node_.await(rank, step); }
  std::uint64_t finished(int rank) const { return node_.finished(rank); }
  std::uint64_t started(int rank) const { return node_.started(rank); }
  /// The queue of pieces of a rank's part of the running step. Any rank of its node may take them.
  WorkQueue& work_queue(int rank) { return node_.work_queue(rank); }
  /// Waits until other ranks have finished `taken` more items of this rank's queue. To be called once for
  /// every open() of the queue, also with 0.
  void await_done(std::uint64_t taken) { node_.await_done(taken); }
  /// See NodeBoard.
  void sleep_at(protocol::SharedCounter* bell) { node_.sleep_at(bell); }
  /// See NodeBoard.
  void set_meanwhile(std::function<bool()> work) { node_.set_meanwhile(std::move(work)); }
  /// For waits outside the board: throws Error{engine_lost} when the launcher or another node is gone.
  void check_alive() const { node_.check_alive(-1); }

  /// Seconds that this rank has waited for other ranks within steps.
  double wait_seconds() const { return node_.wait_seconds(); }
  void reset_wait_seconds() { node_.reset_wait_seconds(); }
  void add_wait_seconds(double seconds) { node_.add_wait_seconds(seconds); }

  /// Decides on a cut: every rank will run the steps before it, and none from it on. Rank 0 only, on any
  /// thread, at any time. Returns the cut; if there is one already, that one.
  std::uint64_t request_cut();
  /// Removes the cut. Rank 0 only, between batches, when all ranks are idle.
  void clear_cut();

  /// Reports what went wrong on this rank alone, once for each batch. The failure of the earliest step
  /// counts.
  void report_failure(std::uint64_t batch, const Failure& failure) { node_.report_failure(batch, failure); }
  /// The failure of a batch, numbered from 1 on. Available on rank 0 after settle(), and on every rank once
  /// the next message is there. No rank may report one of the batch after the next before all have asked for
  /// it.
  std::optional<Failure> failure_of(std::uint64_t batch) const { return node_.failure_of(batch); }

  /// Reports all floating-point errors that this rank has met in a batch so far. To be called before
  /// end_step() of the step in which they occurred.
  void report_float_errors(std::uint64_t batch, std::span<const protocol::FloatErrors> errors) {
    node_.report_float_errors(batch, errors);
  }
  /// The floating-point errors of all ranks in the order of the program, each command once. On rank 0 after
  /// settle().
  std::vector<protocol::FloatErrors> float_errors_of(std::uint64_t batch) const;

  /// On a leader: set the function that returns the counters of its node, and (rank 0) the one that is told
  /// that a node is lost. Both are called on other threads.
  void set_reporter(std::function<Bytes()> reporter);
  void on_lost(std::function<void(const std::string& cause)> tell);
  /// What the leaders of the other nodes report. Rank 0, any thread.
  Bytes gather_reports();
  /// The ranks that are stopped, except the leaders of other nodes, whose silence counts as the loss of the
  /// node. Those of other nodes as of the call before. Waits for nobody. Rank 0, one thread at a time.
  std::vector<nodes::StoppedRank> stopped_ranks();

 private:
  Comm& comm_;
  NodeBoard node_;
  nodes::StoppedRanks stopped_;
  std::uint64_t exchanged_ = 0;
  std::optional<std::pair<std::uint64_t, Failure>> untold_;  ///< what the other nodes do not know of
  std::vector<protocol::FloatErrors>
      remote_float_errors_;  ///< rank 0: of the other nodes, in the last settled batch
  std::mutex cut_mutex_;     // between rank 0's two threads; no other rank ever waits for it
  std::mutex report_mutex_;  // the same
  std::unique_ptr<nodes::TreeMessages> tree_messages_;  ///< of a leader among several nodes
};

}  // namespace gamelan::engine
