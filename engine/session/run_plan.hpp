// SPDX-License-Identifier: BSD-3-Clause
// Runs an admitted plan over the arrays of the session, and enters into their table which were made, replaced
// and freed. The session calls it, on every rank alike.
#pragma once
#include <functional>
#include <vector>

#include "engine/plan/plan_cache.hpp"
#include "engine/session/array_table.hpp"

namespace gamelan::engine {

/// Called while the plan runs, before a step counts as finished (Executor::Observer).
struct RunObserver {
  std::function<void(const Failure&)> fail;
  std::function<void()> count;
};

/// Returns the number of steps that have run: all, or fewer after an interrupt. Collective. Throws
/// Error{engine_lost}.
std::size_t run_plan(const plan::NamedPlan& named, const protocol::Batch& batch, steps::Executor& executor,
                     ArrayTable& arrays, const RunObserver& observer);

/// The arrays of the plan that step `first` and those after it write: what is lost when a rank has failed in
/// that step. Temporary arrays may be among them.
std::vector<protocol::ArrayId> arrays_written_from(const plan::NamedPlan& named, std::size_t first);

}  // namespace gamelan::engine
