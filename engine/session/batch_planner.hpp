// SPDX-License-Identifier: BSD-3-Clause
// Makes a plan that can run from a batch: checks it, plans it or finds its plan in the cache, and admits it.
// What cannot run is cut off, from the first command at fault on. Used by the session, on every rank alike.
#pragma once
#include <optional>
#include <utility>

#include "engine/plan/passes/passes.hpp"
#include "engine/session/admission.hpp"

namespace gamelan::engine {

class BatchPlanner {
 public:
  /// All three must outlive the object.
  BatchPlanner(Comm& comm, distribution::Heap& heap, const ArrayTable& arrays);

  /// Checks and plans as much of the batch as can run: all of it, or the commands before the one that
  /// `refusal` names. Collective.
  plan::NamedPlan make(const protocol::Batch& batch, std::optional<Refusal>& refusal);
  /// Plans the whole batch and changes nothing: the plan, and what it will need when the arrays `freed` have
  /// gone. Throws Error for a command that cannot run for another reason than memory.
  std::pair<plan::Plan, MemoryForecast> forecast(const protocol::Batch& batch,
                                                 const std::vector<protocol::ArrayId>& freed) const;

  plan::Options& options() { return options_; }
  const plan::Options& options() const { return options_; }
  const plan::PlanCache& cache() const { return plans_; }
  /// Times of this process since reset_counters(). Other threads may read them, too.
  const plan::PassTimes& pass_times() const { return pass_times_; }
  void reset_counters();

 private:
  std::optional<Refusal> find_fault(const protocol::Batch& batch) const;
  plan::Plan make_unadmitted(const protocol::Batch& batch) const;

  const ArrayTable& arrays_;
  Admission admission_;
  plan::Options options_;
  plan::PlanCache plans_;
  plan::PassTimes pass_times_;
};

}  // namespace gamelan::engine
