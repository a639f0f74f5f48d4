// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one client, and what a batch does to them: check, plan, admit, run, reply. Lives on every
// rank; all ranks execute the same batches, so every decision here is made from the same data everywhere.
// Knows no sockets.
#pragma once
#include <atomic>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>

#include "engine/plan/passes.hpp"
#include "engine/plan/plan_cache.hpp"
#include "engine/session/check.hpp"
#include "engine/session/elided_copies.hpp"
#include "engine/steps/executor.hpp"

namespace gamelan::engine {

class Session {
 public:
  /// Collective; the heap must outlive it.
  Session(Comm& comm, dist::Heap& heap, Board& board);
  ~Session();

  /// Runs a batch; collective. The reply is complete on rank 0 (payloads), its outcome agreed on all ranks.
  /// Never throws for what a client sent. May rewrite the batch (elided_copies.hpp); the reply speaks of the
  /// batch as it came.
  protocol::Reply execute(protocol::Batch& batch);
  /// Sets options by name; throws Error{value} for an unknown name or value, alike on all ranks. Collective.
  void configure(const protocol::Configure& wanted);
  /// What rank 0 knows without asking anybody: what it is doing, and how far it is.
  nlohmann::json heartbeat() const;
  /// Counters of all ranks; asks the other nodes, for seconds at worst. Both are thread-safe and may be
  /// called while a batch runs.
  nlohmann::json status() const;

 private:
  struct Array {
    plan::ArrayInfo info;
    dist::StoragePtr storage;
  };
  void set_option(const std::string& name, const std::string& value);
  std::optional<Refusal> find_fault(const protocol::Batch& batch) const;
  template <class Accept>
  std::optional<std::pair<std::size_t, int>> replay(const plan::NamedPlan& named, dist::Allocator& trial,
                                                    Accept accept) const;
  /// Makes sure of the memory and the pages that the plan needs, or says from which command on there is none.
  /// Collective.
  std::optional<Refusal> admit(const plan::NamedPlan& named, const protocol::Batch& batch);
  std::optional<Refusal> admit_messages(const plan::NamedPlan& named, const protocol::Batch& batch);
  /// Plans the batch with copies elided where that can be, and runs it.
  void plan_and_run(protocol::Batch& batch, protocol::Reply& reply, std::optional<Refusal>& refusal);
  std::vector<ElidedCopies::Copy> find_elided(const protocol::Batch& batch) const;
  void put_back(const std::vector<ElidedCopies::Copy>& made, protocol::Batch& batch);
  /// Checks and plans as much of the batch as can be run: all of it, or up to the command that `refusal`
  /// names.
  plan::NamedPlan plan_within_memory(const protocol::Batch& batch, std::optional<Refusal>& refusal);
  void run(const plan::NamedPlan& named, const protocol::Batch& batch, protocol::Reply& reply);
  void fail(protocol::Reply& reply, const protocol::Batch& batch, const Refusal& refusal);
  void report_float_errors();
  std::vector<protocol::FloatErrors> float_errors(std::size_t made) const;
  void poison_unmade(const protocol::Batch& batch, const protocol::Error& cause);
  void free(const std::vector<protocol::ArrayId>& ids);
  void free_untouched(const protocol::Batch& batch);
  void free_future(const protocol::Batch& batch, std::size_t command);
  void fetch(const protocol::Batch& batch, protocol::Reply& reply);
  protocol::Reply explain(protocol::Batch batch) const;  // plans it and changes nothing
  std::string describe(const protocol::Batch& batch, const plan::Plan& plan) const;
  void publish_work();      // of this rank, for rank 0
  void publish_counters();  // and what a status says of arrays, plans and memory
  plan::Catalog catalog() const;
  protocol::Error too_big(const protocol::Batch& batch, std::int64_t command, std::size_t bytes) const;

  /// A rank's words in its part of the heap, where it leaves its counters for its node's leader and rank 0.
  struct Noticeboard {
    std::atomic<std::uint64_t> kernels, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped;
    std::atomic<double> compute_seconds, wait_seconds;
  };
  Noticeboard& noticeboard(int rank) const;
  /// What a noticeboard says, to be sent.
  struct Report {
    std::int64_t rank;
    std::uint64_t kernels, bytes_shared, bytes_sent, bytes_received, messages, pieces_helped;
    double compute_seconds, wait_seconds;
  };
  std::vector<Report> reports_of_node() const;
  std::vector<Report> reports() const;  // of all ranks; rank 0
  void settle_last_batch();

  Comm& comm_;
  dist::Heap& heap_;
  Board& board_;
  exec::Executor executor_;
  plan::PassTimes pass_times_;
  plan::Options options_;
  plan::PlanCache plans_;
  std::unordered_map<protocol::ArrayId, Array> arrays_;
  std::unordered_map<protocol::ArrayId, protocol::Error> poisoned_;
  ElidedCopies elided_;
  dist::Allocator::Block notices_;
  std::size_t heap_at_rest_;  ///< bytes per rank that are no arrays
  std::uint64_t batch_number_ = 0;
  std::vector<protocol::ArrayId> written_;  // by the last batch
  double wait_origin_ = 0;

  struct Published {  // read by the status thread
    std::atomic<std::uint64_t> batches{0}, commands{0}, arrays{0}, heap_bytes{0}, heap_peak{0},
        fetch_bytes{0}, steps_planned{0}, steps_before{0}, plan_hits{0}, plan_misses{0};
    std::atomic<double> plan_seconds{0};
    std::atomic<bool> is_busy{false};
    std::mutex running;  // guards what follows: null between two plans
    const plan::Plan* plan = nullptr;
    const protocol::Batch* batch = nullptr;
  };
  /// While it lives, a heartbeat says which line of the program this plan computes.
  class Shown {
   public:
    Shown(Published& published, const plan::Plan& plan, const protocol::Batch& batch);
    ~Shown();
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;

   private:
    Published& published_;
  };
  std::uint64_t steps_done() const;
  mutable Published published_;
};

}  // namespace gamelan::engine
