// SPDX-License-Identifier: BSD-3-Clause
// What the ranks agree on: messages from rank 0, the order of steps, where an interrupt cuts, how a batch
// ended. On a node by words in shared memory (node_board.hpp), between nodes by a tree of their leaders
// (nodes/tree_messages.hpp). Called by session (exchange, settle), executor (steps) and, for request_cut
// only, by whoever serves rank 0's socket. Knows no arrays.
#pragma once
#include <functional>
#include <memory>
#include <mutex>

#include "engine/nodes/node_board.hpp"
#include "engine/nodes/settings.hpp"

namespace gamelan::engine {

namespace nodes {
class TreeMessages;
}

class Board {
 public:
  /// Collective. Throws Error{memory}, and Error{os} when the nodes cannot reach each other; alike on all
  /// ranks.
  Board(Comm& comm, distribution::Heap& heap, const nodes::Settings& settings = {});
  /// When all ranks are idle.
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Rank 0 passes a message of any size and returns it at once; the other ranks sleep until it is there.
  /// Collective. Rank 0 runs ahead by a few messages at most: none is overwritten before every rank has read
  /// it. Like every wait of the board, throws Error{engine_lost} on a rank that finds the awaited rank, the
  /// launcher or another node gone.
  Bytes exchange(Bytes mine);
  /// Ends what the last message began: on rank 0, returns when every rank has finished `step`. `batch`:
  /// failures of it come to rank 0 with this. Collective; on the other ranks it waits for nobody but, on a
  /// leader, its own node.
  void settle(std::uint64_t step, std::uint64_t batch);

  /// Announces that this rank is about to run `step`. False when an agreed cut is at `step` or before: then
  /// it must not run. Steps are numbered alike on all ranks, from 1, rising; waits while a cut is being
  /// decided.
  bool begin_step(std::uint64_t step) { return node_.begin_step(step); }
  /// This rank has finished every step up to `step`. After a cut, call it with the last step that was
  /// planned, so that nobody ever waits for a step that did not run.
  void end_step(std::uint64_t step) { node_.end_step(step); }
  /// Until `rank`, of this node, has finished `step`; what it wrote before end_step is visible then.
  void await(int rank, std::uint64_t step) { node_.await(rank, step); }
  std::uint64_t finished(int rank) const { return node_.finished(rank); }
  std::uint64_t started(int rank) const { return node_.started(rank); }
  /// Pieces of a rank's part of the running step that any rank of its node may do.
  WorkQueue& work_queue(int rank) { return node_.work_queue(rank); }
  /// Waits until other ranks are done with `taken` more items of this rank's queue. Call once for every
  /// open(), also with 0.
  void await_done(std::uint64_t taken) { node_.await_done(taken); }
  /// See NodeBoard.
  void set_meanwhile(std::function<bool()> work) { node_.set_meanwhile(std::move(work)); }
  /// For waits that are not the board's: throws Error{engine_lost} when the launcher or another node is gone.
  void check_alive() const { node_.check_alive(-1); }

  /// Seconds that this rank has waited for others within steps.
  double wait_seconds() const { return node_.wait_seconds(); }
  void reset_wait_seconds() { node_.reset_wait_seconds(); }
  void add_wait_seconds(double seconds) { node_.add_wait_seconds(seconds); }

  /// Decides a cut: every step before it will run on every rank, none from it on. Rank 0 only, on any thread,
  /// at any time; returns the cut, the standing one when there is one.
  std::uint64_t request_cut();
  /// Forgets the cut. Rank 0 only, between batches, when all ranks are idle.
  void clear_cut();

  /// What went wrong on this rank alone. The first to say so is heard.
  void report_failure(std::uint64_t batch, const protocol::Error& failure) {
    node_.report_failure(batch, failure);
  }
  /// On rank 0 after settle(), on every rank once the next message is there.
  std::optional<protocol::Error> failure_of(std::uint64_t batch) const { return node_.failure_of(batch); }

  /// Floating-point errors that this rank has met in a batch, all of them so far; before the step ends in
  /// which they were.
  void report_float_errors(std::uint64_t batch, std::span<const protocol::FloatErrors> errors) {
    node_.report_float_errors(batch, errors);
  }
  /// Those of all ranks in the order of the program, each command once. On rank 0 after settle().
  std::vector<protocol::FloatErrors> float_errors_of(std::uint64_t batch) const;

  /// On a leader: what its node reports, and (rank 0) whom to tell that a node is lost. Called on other
  /// threads.
  void set_reporter(std::function<Bytes()> reporter);
  void on_lost(std::function<void(const std::string& cause)> tell);
  /// Rank 0, any thread: what the leaders of the other nodes report.
  Bytes gather_reports();

 private:
  Comm& comm_;
  NodeBoard node_;
  std::uint64_t exchanged_ = 0;
  std::optional<std::pair<std::uint64_t, protocol::Error>>
      untold_;  ///< a failure that the other nodes do not know of
  std::vector<protocol::FloatErrors>
      remote_float_errors_;  ///< rank 0: of the other nodes, in the batch that was settled last
  std::mutex cut_mutex_;     // between rank 0's two threads; no other rank ever waits for it
  std::mutex report_mutex_;  // the same
  std::unique_ptr<nodes::TreeMessages> tree_messages_;  ///< of a leader among several nodes
};

}  // namespace gamelan::engine
