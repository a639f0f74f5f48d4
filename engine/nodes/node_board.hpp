// SPDX-License-Identifier: BSD-3-Clause
// The synchronisation board of one node: control words in the heap. With them its ranks pass messages on,
// tell each other how far they are, stop at an agreed step, and report failures. An idle rank sleeps here and
// uses no processor time. Part of Board (board.hpp), which also speaks with the other nodes. Knows no arrays.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/distribution/heap.hpp"
#include "engine/nodes/stopped_ranks.hpp"
#include "engine/ranks/comm.hpp"
#include "engine/ranks/work_queue.hpp"
#include "protocol/lanes/patience.hpp"

namespace gamelan::engine {

/// What went wrong on one rank alone, and in which step (numbered as for begin_step).
struct Failure {
  std::uint64_t step = 0;
  protocol::Error error;
};

class NodeBoard {
 public:
  /// Allocates its words in the heap. Collective. Throws Error{memory}.
  NodeBoard(Comm& comm, distribution::Heap& heap);
  /// To be called when all ranks are idle.
  ~NodeBoard();
  NodeBoard(const NodeBoard&) = delete;
  NodeBoard& operator=(const NodeBoard&) = delete;

  // Messages: one writer per node (rank 0, or the I/O thread of another leader), any number of readers. Like
  // every wait of the board, these functions throw Error{engine_lost} when an awaited rank, the launcher or
  // another node is gone.
  static constexpr std::size_t slot_bytes = 16 * 1024 - sizeof(std::uint64_t);
  struct Posted {
    std::uint64_t length;  ///< when above slot_bytes, the message follows by broadcast
    Bytes bytes;
  };
  /// Writes a message into its slot, after all ranks have read the message that was there.
  void post(std::uint64_t message, std::uint64_t length, std::span<const std::byte> bytes);
  /// Sleeps until the message is there, and returns it.
  Posted take(std::uint64_t message);

  /// From now on this rank sleeps at that counter while it waits for a message, and raises it when it writes
  /// one. A client raises it with a request: so all ranks wake at once, and not one after the other. The
  /// writer must have it; of the others some may sleep at the messages' own.
  void sleep_at(protocol::SharedCounter* bell) { bell_ = bell; }

  // Steps.
  bool begin_step(std::uint64_t step);
  void end_step(std::uint64_t step);
  void await(int rank, std::uint64_t step);
  std::uint64_t finished(int rank) const { return control(rank).finished.value(); }
  std::uint64_t started(int rank) const { return control(rank).started.value(); }
  WorkQueue& work_queue(int rank) { return control(rank).work_queue; }
  void await_done(std::uint64_t taken);
  double wait_seconds() const { return wait_seconds_; }
  void reset_wait_seconds() { wait_seconds_ = 0; }
  void add_wait_seconds(double seconds) { wait_seconds_ += seconds; }

  // Cuts, by one thread of the leader at a time.
  bool has_cut() const { return control(leader_).decision.value() % 3 == 2; }
  std::uint64_t cut() const { return control(leader_).cut.load(std::memory_order_seq_cst); }
  /// From now on no rank of the node begins a step before set_cut(). Returns the furthest step that was
  /// begun.
  std::uint64_t begin_decision();
  void set_cut(std::uint64_t cut);
  void clear_cut();

  /// See Board. One report of a rank for each batch.
  void report_failure(std::uint64_t batch, const Failure& failure);
  /// Sets the failure of a batch that all nodes have agreed on, in place of the node's own.
  void set_failure(std::uint64_t batch, const Failure& failure);
  std::optional<Failure> failure_of(std::uint64_t batch) const;

  /// Reports all floating-point errors that this rank has met in batch `batch` so far. To be called before
  /// end_step() of the step in which they occurred.
  void report_float_errors(std::uint64_t batch, std::span<const protocol::FloatErrors> errors);
  /// Adds what the ranks of the node have reported.
  void add_float_errors(std::uint64_t batch, std::vector<protocol::FloatErrors>& errors) const;

  /// Sets a function that the waits of the rank's main thread call while they wait. It returns true when
  /// there is more to do, and the wait must stay short.
  void set_meanwhile(std::function<bool()> work) { meanwhile_ = std::move(work); }

  /// Notes that another node is gone: every wait on this node ends with the cause, within a second.
  void set_lost(const std::string& cause);
  /// Throws Error{engine_lost} when `rank` (any rank of the node, when negative), the launcher or another
  /// node is gone.
  void check_alive(int rank) const;
  /// The other ranks of the node, to be asked whether they are stopped; none where this rank cannot see them.
  nodes::StoppedRanks::Processes other_processes() const;

 private:
  static constexpr std::size_t slot_count = 8, text_bytes = 231;

  struct Slot {
    std::uint64_t length;
    std::byte bytes[slot_bytes];
  };
  struct Verdict {
    std::atomic<std::uint64_t> failed_batch{0};
    std::uint64_t step = 0;
    std::uint8_t kind = 0;
    Failure failure() const { return {step, {static_cast<protocol::ErrorKind>(kind), text}}; }
    char text[text_bytes] = {};
  };
  struct FloatReport {
    std::uint64_t batch = 0, count = 0;
    protocol::FloatErrors errors[protocol::most_float_errors];
  };
  /// The control words of one rank, in its part of the heap. Only the owner writes the first group (except
  /// its work queue). The second group is used in the leader's words.
  struct Control {
    protocol::SharedCounter finished, started, consumed;
    std::int64_t process_id = 0;
    WorkQueue work_queue;
    FloatReport float_report;
    Verdict own[2];  ///< of odd and even batches: one may be written while a slow rank still reads the one
                     ///< before

    protocol::SharedCounter posted;    ///< messages
    protocol::SharedCounter decision;  ///< 3k: no cut; 3k + 1: one is being decided; 3k + 2: `cut` holds
    alignas(protocol::cache_line_bytes) std::atomic<std::uint64_t> cut{0};
    std::atomic<bool> is_lost{false};
    char lost_cause[text_bytes] = {};
    std::atomic<std::uint64_t> failed_batches[2] =
        {};             ///< the last ones in which a rank of the node has failed
    Verdict agreed[2];  ///< by all nodes
    Slot slots[slot_count];
  };

  static void set(Verdict& verdict, std::uint64_t batch, const Failure& failure, const std::string& text);
  void await_message(protocol::SharedCounter& posted, std::uint64_t message);
  Control& control(int rank) const { return *controls_[static_cast<std::size_t>(rank)]; }
  /// `works`: call the function of set_meanwhile() during the wait; only for the main thread.
  void wait_for(protocol::SharedCounter& counter, std::uint64_t target, int watched_rank, bool works = true);

  Comm& comm_;
  distribution::Heap& heap_;
  const int leader_;
  distribution::Allocator::Block block_;
  std::vector<Control*> controls_;  ///< by rank; null on other nodes
  protocol::Patience patience_;
  protocol::SharedCounter* bell_ = nullptr;
  std::int64_t launcher_process_id_;
  bool is_watching_ = true;
  std::function<bool()> meanwhile_;
  std::uint64_t taken_by_others_ = 0;  ///< items of this rank that others have taken
  double wait_seconds_ = 0;
};

}  // namespace gamelan::engine
