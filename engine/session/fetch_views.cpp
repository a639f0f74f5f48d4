// SPDX-License-Identifier: BSD-3-Clause
#include "engine/session/fetch_views.hpp"

#include "engine/steps/fetch.hpp"

namespace gamelan::engine {

using protocol::Error;
using protocol::ErrorKind;

std::optional<Error> fetch_views(const protocol::Batch& batch, Comm& comm, distribution::Heap& heap,
                                 Board& board, steps::Executor& executor, const ArrayTable& arrays,
                                 std::vector<protocol::Bytes>& payloads) {
  if (comm.rank() != 0 && comm.is_one_node()) return std::nullopt;
  std::optional<Error> problem;
  if (auto* ghost_exchange = executor.ghost_exchange()) ghost_exchange->start();
  for (const auto& view : batch.fetches) {
    const auto& array = arrays.at(view.base);
    plan::Plan plan;
    plan.slots.push_back({view.base, array.info, true});
    const std::vector<distribution::StoragePtr> storages{array.storage};
    steps::Counters counters;
    steps::Workspace workspace;
    const steps::StepContext context(comm, heap, board, plan, storages, batch, executor.last_step() + 1,
                                     counters, workspace, steps::Balance::off, executor.ghost_exchange());
    context.prepare_read(0);
    try {
      steps::bring_near(context, 0, view, 0);
      if (comm.rank() != 0 || problem) continue;
      protocol::Bytes bytes(static_cast<std::size_t>(protocol::element_count(view.extents)) *
                            protocol::size_of(view.dtype));
      if (!bytes.empty()) steps::fetch(context, 0, view, bytes.data());
      payloads.push_back(std::move(bytes));
    } catch (const steps::FollowsFailure& failure) {
      problem = Error(ErrorKind::memory, "[fetch] rank " + std::to_string(failure.rank) +
                                             " has no memory left to send its part of the values");
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::engine_lost) throw;
      problem = error;
    } catch (const std::exception& error) {
      problem =
          Error(ErrorKind::memory, std::string("[fetch] rank 0 cannot hold the values: ") + error.what());
    }
  }
  if (auto* ghost_exchange = executor.ghost_exchange()) ghost_exchange->rest();
  return problem;
}

}  // namespace gamelan::engine
