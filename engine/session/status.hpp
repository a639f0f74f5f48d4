// SPDX-License-Identifier: BSD-3-Clause
// What a session says of itself: the counters of every rank, which each leaves in its part of the heap for
// its node's leader and rank 0, and what rank 0 alone knows of batches, plans and memory. Read while a batch
// runs.
#pragma once
#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/session/batch_planner.hpp"
#include "engine/session/progress.hpp"

namespace gamelan::engine {

class Status {
 public:
  /// What it tells of; all must outlive it.
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

  // Of the rank that works.
  void add_plan_seconds(double seconds) { published_.plan_seconds = published_.plan_seconds + seconds; }
  void add_fetched(std::size_t bytes) { published_.fetch_bytes += bytes; }
  /// A batch of so many commands is over.
  void add_batch(std::size_t commands);
  /// Tells rank 0 what this rank has done so far.
  void publish_work();
  /// What is counted begins again at zero; the counters of others that it tells of are reset already.
  void reset();

  /// Counters of all ranks; asks the other nodes, for seconds at worst. Thread-safe.
  nlohmann::json status() const;

 private:
  /// A rank's words in its part of the heap.
  struct Noticeboard {
    std::atomic<std::uint64_t> steps, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped;
    std::atomic<double> compute_seconds, wait_seconds;
  };
  Noticeboard& noticeboard(int rank) const;
  /// What a noticeboard says, to be sent.
  struct Report {
    std::int64_t rank;
    std::uint64_t steps, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped;
    double compute_seconds, wait_seconds;
  };
  std::vector<Report> reports_of_node() const;
  std::vector<Report> reports() const;  // of all ranks; rank 0
  void publish_counters();

  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  Sources of_;
  distribution::Allocator::Block notices_;
  std::size_t heap_at_rest_;  // bytes per rank that are no arrays
  double wait_origin_ = 0;

  struct Published {  // read by the status thread
    std::atomic<std::uint64_t> batches{0}, commands{0}, arrays{0}, heap_bytes{0}, heap_peak{0},
        fetch_bytes{0}, plan_hits{0}, plan_misses{0};
    std::atomic<double> plan_seconds{0};
  };
  Published published_;
};

}  // namespace gamelan::engine
