// SPDX-License-Identifier: BSD-3-Clause
// From a batch to a plan that can run: checked, planned or found among the plans of earlier batches, and
// admitted. What cannot run is cut off, from the first command at fault on. The session asks it, on every
// rank alike.
#pragma once
#include <optional>

#include "engine/plan/passes/passes.hpp"
#include "engine/session/admission.hpp"

namespace gamelan::engine {

class BatchPlanner {
 public:
  /// All must outlive it.
  BatchPlanner(Comm& comm, distribution::Heap& heap, const ArrayTable& arrays);

  /// Checks and plans as much of the batch as can be run: all of it, or up to the command that `refusal`
  /// names. Collective.
  plan::NamedPlan make(const protocol::Batch& batch, std::optional<Refusal>& refusal);
  /// Plans all of the batch and changes nothing. Throws Error for what cannot be run, whatever memory it
  /// takes.
  plan::Plan make_unadmitted(const protocol::Batch& batch) const;

  plan::Options& options() { return options_; }
  const plan::Options& options() const { return options_; }
  const plan::PlanCache& cache() const { return plans_; }
  /// Of this process, since reset_counters(). Read by other threads, too.
  const plan::PassTimes& pass_times() const { return pass_times_; }
  void reset_counters();

 private:
  std::optional<Refusal> find_fault(const protocol::Batch& batch) const;

  const ArrayTable& arrays_;
  Admission admission_;
  plan::Options options_;
  plan::PlanCache plans_;
  plan::PassTimes pass_times_;
};

}  // namespace gamelan::engine
