// SPDX-License-Identifier: BSD-3-Clause
// The messages between the leaders of the nodes. Rank 0's messages and cuts go down the tree to every node's
// board; progress, failures and counters come up. Owned by the Board of a leader when there are several
// nodes.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "engine/nodes/node_board.hpp"
#include "engine/nodes/stopped_ranks.hpp"
#include "engine/nodes/tree.hpp"

namespace gamelan::engine::nodes {

class TreeMessages {
 public:
  /// Connects the leaders; collective on comm.leaders(). Throws Error{os} on those that miss a neighbour.
  TreeMessages(Comm& comm, NodeBoard& board, const Settings& settings);
  /// From now on notes are read. All leaders must be connected: a missing one would count as lost.
  void start();

  // Rank 0.
  void post(std::uint64_t message, std::uint64_t length, std::span<const std::byte> bytes);
  void tell_failure(std::uint64_t batch, const Failure& failure);
  /// Decides on the step before which all nodes stop, and returns it. Any thread, one at a time.
  std::uint64_t decide_cut();
  void clear_cut() { tree_.send_down({Note::Kind::clear_cut, 0, 0, {}}); }
  /// The reports of the other nodes, one after another: those that have come within two seconds.
  Bytes gather_reports();
  /// Asks the other nodes which of their ranks are stopped, and returns what they have answered last, in
  /// StoppedRanks::longest_pause: `StoppedRank`s, one after another. Waits for nobody.
  Bytes ask_stopped();

  /// Announces that every rank of this node has done message `message`; on rank 0, waits for the other nodes.
  /// `own`: what the ranks of this node have met. On rank 0 the result is that of all nodes, with the failure
  /// of the earliest step.
  struct Outcome {
    std::optional<Failure> failure;
    Bytes float_errors;  ///< of all nodes together; not told beside a failure
  };
  Outcome settle(std::uint64_t message, Outcome own);

  /// Set the functions that the I/O thread calls: one returns the counters of this node, the other is told
  /// that another node is lost. When these calls return, no call of the function before is under way.
  void set_reporter(std::function<Bytes()> reporter);
  void on_lost(std::function<void(const std::string&)> tell);

 private:
  void hear_parent(Note note);
  void hear_child(std::size_t child, Note note);
  void lose(const std::string& cause);
  void add(Outcome outcome);
  void pass_up_if_settled();
  void answer_cut_if_known();
  void answer_report_if_whole();
  Bytes stopped_below() const;
  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, double seconds, Ready ready);

  NodeBoard& board_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string lost_cause_;
  // What is under way; numbers only rise.
  std::uint64_t own_settled_ = 0, passed_up_ = 0;
  std::vector<std::uint64_t> settled_;  ///< by child
  Outcome outcome_;
  std::uint64_t cut_number_ = 0, furthest_ = 0;
  std::size_t cuts_missing_ = 0;
  std::uint64_t report_number_ = 0;
  std::size_t reports_missing_ = 0;
  Bytes reports_;
  StoppedRanks stopped_here_;
  struct Answer {
    Bytes stopped;
    StoppedRanks::Clock::time_point when{};
  };
  std::vector<Answer> stopped_;  ///< by child: the last one
  std::function<Bytes()> reporter_;
  std::mutex tell_mutex_;  // held while it is called
  std::function<void(const std::string&)> tell_;
  Tree tree_;  // last: its thread ends first
};

}  // namespace gamelan::engine::nodes
