// SPDX-License-Identifier: BSD-3-Clause
// The counters of a session: those of every rank, which each rank writes into its part of the heap, where its
// node's leader and rank 0 read them, and those of batches, plans and memory, which only rank 0 has. May be
// read while a batch runs.
#pragma once
#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/session/batch_planner.hpp"
#include "engine/session/progress.hpp"

namespace gamelan::engine {

class Status {
 public:
  /// Where the counters come from; all must outlive the object.
  struct Sources {
    const steps::Executor& executor;
    const ArrayTable& arrays;
    const BatchPlanner& planner;
    const Progress& progress;
  };
  /// Collective. Throws Error{memory}.
  Status(Comm& comm, distribution::Heap& heap, Board& board, const Sources& sources);
  ~Status();
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  // For the rank itself.
  void add_plan_seconds(double seconds) { published_.plan_seconds = published_.plan_seconds + seconds; }
  void add_fetched(std::size_t bytes) { published_.fetch_bytes += bytes; }
  /// Counts a batch of `commands` commands.
  void add_batch(std::size_t commands);
  /// Writes what this rank has done so far where rank 0 can read it.
  void publish_work();
  /// Sets the counters to zero; those of the sources are reset already.
  void reset();

  /// The counters of all ranks as a JSON object. Asks the other nodes, which takes seconds at worst.
  /// Thread-safe.
  nlohmann::json status() const;

 private:
  /// A rank's counters in its part of the heap.
  struct Noticeboard {
    std::atomic<std::uint64_t> steps, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped;
    std::atomic<std::uint64_t> bytes_behind, write_failures;  // written by the thread of WritesBehind
    std::atomic<double> compute_seconds, wait_seconds;
  };
  Noticeboard& noticeboard(int rank) const;
  /// A copy of a noticeboard, which can be sent.
  struct Report {
    std::int64_t rank;
    std::uint64_t steps, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped, bytes_behind,
        write_failures;
    double compute_seconds, wait_seconds;
  };
  std::vector<Report> reports_of_node() const;
  std::vector<Report> reports() const;  // of all ranks, on rank 0
  void publish_counters();

  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  Sources of_;
  distribution::Allocator::Block notices_;
  std::size_t heap_at_rest_;  // bytes per rank that do not belong to arrays
  double wait_origin_ = 0;

  struct Published {  // read by the status thread
    std::atomic<std::uint64_t> batches{0}, commands{0}, arrays{0}, heap_bytes{0}, heap_peak{0},
        fetch_bytes{0}, plan_hits{0}, plan_misses{0};
    std::atomic<double> plan_seconds{0};
  };
  Published published_;
};

}  // namespace gamelan::engine
