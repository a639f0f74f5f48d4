// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/executor.hpp"

#include <chrono>
#include <new>

#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// How often a step swaps bytes between nodes (RemoteGather: twice, RemoteScatter: once), whatever its data.
int swaps_of(const plan::Step& step) {
  if (std::holds_alternative<plan::Gather>(step.body) || std::holds_alternative<plan::Take>(step.body))
    return 2;
  if (const auto* scatter = std::get_if<plan::Scatter>(&step.body)) return scatter->to_replica ? 0 : 1;
  if (const auto* updates = std::get_if<plan::ApplyUpdates>(&step.body)) return reads_rows(*updates) ? 3 : 1;
  if (std::holds_alternative<plan::Collect>(step.body)) return 1;
  if (std::holds_alternative<plan::MergeRuns>(step.body)) return swaps_to_merge;
  if (const auto* collect = std::get_if<plan::CollectPlaces>(&step.body)) return collect->cuts < 0 ? 0 : 2;
  if (std::holds_alternative<plan::SpreadBlocks>(step.body)) return 2;
  if (const auto* collect = std::get_if<plan::CollectBlocks>(&step.body))
    return 2 * static_cast<int>(collect->results.size());
  return 0;
}

}  // namespace

Executor::Executor(Comm& comm, distribution::Heap& heap, Board& board)
    : comm_(comm), heap_(heap), board_(board) {
  set_balance(Balance::on);
  if (!comm.is_one_node()) ghost_exchange_ = std::make_unique<GhostExchange>(comm, heap, board);
}

void Executor::reset_counters() {
  counters_ = {};
  if (ghost_exchange_) ghost_exchange_->reset_counters();
}

void Executor::release(const distribution::StoragePtr& storage) {
  storage->block.stamp = std::max({storage->block.stamp, storage->read_by, storage->scattered_by});
  heap_.allocator().release(storage->block);
}

void Executor::prepare(const plan::Plan& plan, const plan::Step& step,
                       std::vector<distribution::StoragePtr>& storages, const StepContext& context) {
  for (const int slot : step.allocates) {
    const auto block =
        heap_.allocator().allocate(plan::block_bytes(plan.slots[static_cast<std::size_t>(slot)]));
    if (!block)
      throw protocol::Error(protocol::ErrorKind::internal,
                            "[run] the heap is smaller than the admitted plan");
    auto storage = std::make_shared<distribution::Storage>();
    storage->block = *block;
    storages[static_cast<std::size_t>(slot)] = std::move(storage);
  }
  for (const auto& use : plan::uses_of(step))
    use.is_written ? context.prepare_write(use.slot) : context.prepare_read(use.slot);
  if (std::holds_alternative<plan::Scatter>(step.body))
    context.await_all(step_ - 1);  // other ranks may still compute in their own blocks
}

void Executor::settle(const plan::Step& step, const StepContext& context) {
  const auto* scatter = std::get_if<plan::Scatter>(&step.body);
  const bool is_at_borders = plan::is_at_borders(step);
  for (const auto& use : plan::uses_of(step)) {
    auto& storage = context.storage(use.slot);
    if ((scatter != nullptr && use.slot == scatter->to) || (is_at_borders && use.is_written))
      storage.scattered_by = step_;  // by every rank, in any block
    else if (use.is_written)
      storage.written_by = step_;
    else if (use.may_be_remote || is_at_borders)
      storage.read_by = step_;
  }
}

/// Runs the step's body, unless this rank has failed. Reports what it throws to the observer, except that the
/// loss of a node ends everything.
void Executor::run_body(const plan::Step& step, const distribution::Exchange* exchange,
                        const StepContext& context, const Observer& observer) {
  const auto fail = [&](protocol::ErrorKind kind, const std::string& text) {
    has_failed_ = true;
    observer.fail({step_, {kind, text}});
  };
  const auto body = [&] { std::visit([&](const auto& what) { steps::run(context, what); }, step.body); };
  // A rank that did not take part in a collective routine would leave the others waiting in it.
  if (plan::is_collective(step) && comm_.agree_min(has_failed_ ? 0 : 1) == 0) {
    has_failed_ = true;
    if (ghost_exchange_) ghost_exchange_->fall_silent();
  }
  try {
    if (ghost_exchange_)
      ghost_exchange_->run_step(*exchange, context.storages(), swaps_of(step), body);
    else if (!has_failed_)
      body();
  } catch (const FollowsFailure&) {
    has_failed_ = true;  // the rank that failed first reports it
  } catch (const protocol::Error& error) {
    if (error.kind() == protocol::ErrorKind::engine_lost) throw;
    fail(error.kind(), error.what());
  } catch (const std::bad_alloc&) {
    fail(protocol::ErrorKind::memory,
         "[run] no memory for buffers or for messages from other nodes: use smaller arrays, or start engines "
         "with less heap");
  } catch (const std::exception& error) {
    fail(protocol::ErrorKind::internal, error.what());
  }
}

std::size_t Executor::run(const plan::Plan& plan, std::span<const distribution::Exchange> exchanges,
                          std::vector<distribution::StoragePtr>& storages, const protocol::Batch& batch,
                          const Observer& observer) {
  has_failed_ = false;
  if (ghost_exchange_) ghost_exchange_->start();
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const bool may_run = board_.begin_step(++step_);
    if (!may_run && plan.steps[s].prefix >= 0) {  // else the arrays are those of no moment of the program
      if (ghost_exchange_) ghost_exchange_->rest();
      board_.end_step(step_);  // a rank that waits for it sees that this rank has passed the cut
      return s;
    }
    const auto& step = plan.steps[s];
    const StepContext context(comm_, heap_, board_, plan, storages, batch, step_, counters_, workspace_,
                              balance_, ghost_exchange_.get());
    const double start = seconds(), waited = board_.wait_seconds();
    prepare(plan, step, storages, context);
    run_body(step, ghost_exchange_ ? &exchanges[s] : nullptr, context, observer);
    settle(step, context);
    counters_.compute_seconds += seconds() - start - (board_.wait_seconds() - waited);
    ++counters_.steps;
    observer.count();
    board_.end_step(step_);
    for (const int slot : step.binds) observer.bind(slot, plan.slots[static_cast<std::size_t>(slot)].array);
    for (const auto& [slot, to] : step.hands_over) observer.bind(slot, to);
    for (const int slot : step.releases) {
      release(storages[static_cast<std::size_t>(slot)]);
      storages[static_cast<std::size_t>(slot)].reset();
    }
  }
  if (ghost_exchange_) ghost_exchange_->rest();
  return plan.steps.size();
}

}  // namespace gamelan::engine::steps
