// SPDX-License-Identifier: BSD-3-Clause
// How far the running plan is, and at which line of the program. A heartbeat asks for it while the rank
// computes. The session says which plan runs; all other functions are for other threads.
#pragma once
#include <atomic>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/session/holders.hpp"
#include "engine/steps/executor.hpp"

namespace gamelan::engine {

class Progress {
 public:
  explicit Progress(const steps::Executor& executor) : executor_(executor) {}

  void begin_batch() { is_busy_ = true; }
  void end_batch() { is_busy_ = false; }
  /// Arrays that others than their makers have written: these hear of it by their heartbeats.
  void set_foreign(std::vector<Holders::Foreign> foreign);

  /// The plan counts as running while this object lives; both references must outlive it.
  class Run {
   public:
    Run(Progress& progress, const plan::Plan& plan, const protocol::Batch& batch);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Progress& progress_;
  };

  // Thread-safe.
  bool is_busy() const { return is_busy_; }
  std::uint64_t steps_planned() const { return steps_planned_; }  ///< of the running plan, or the last one
  std::uint64_t steps_done() const;
  /// What rank 0 is doing and how far it is, known without asking other ranks. A JSON object.
  nlohmann::json heartbeat() const;

 private:
  std::uint64_t count_steps_done() const;

  const steps::Executor& executor_;
  std::atomic<bool> is_busy_ = false;
  std::atomic<std::uint64_t> steps_planned_ = 0, steps_before_ = 0;
  mutable std::mutex running_;  // guards the following members; the two are null between two plans
  const plan::Plan* plan_ = nullptr;
  const protocol::Batch* batch_ = nullptr;
  std::vector<Holders::Foreign> foreign_;
};

}  // namespace gamelan::engine
