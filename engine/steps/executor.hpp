// SPDX-License-Identifier: BSD-3-Clause
// Walks a plan: brings storage to life, runs each step in the order that all ranks share, lets storage go. It
// decides nothing: the plan says what, the Board says when. Called by the session on every rank.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

class Executor {
 public:
  Executor(Comm& comm, distribution::Heap& heap, Board& board);

  /// Who is told what happens. A rank calls fail() and count() before it says that the step is finished:
  /// whoever has awaited it sees what they left behind.
  struct Observer {
    std::function<void(int slot, protocol::ArrayId array)>
        bind;  ///< a slot becomes an array's current version
    std::function<void(const protocol::Error&)>
        fail;                     ///< a step has thrown, on this rank, and not for another's sake
    std::function<void()> count;  ///< counters() have changed
  };

  /// Runs steps until the end, or to the first one behind an agreed cut that has a prefix. `storages` has one
  /// entry per slot: inputs filled in, the others made here; `exchanges` one per step, where there are
  /// several nodes. Returns the number of steps run, which is the same on all ranks. A step that throws here
  /// is finished empty (the other ranks need not know yet), the remaining ones too. Throws
  /// Error{engine_lost}.
  std::size_t run(const plan::Plan& plan, std::span<const distribution::Exchange> exchanges,
                  std::vector<distribution::StoragePtr>& storages, const protocol::Batch& batch,
                  const Observer& observer);

  /// Gives storage back; other ranks may still read it for some steps, which its stamp remembers.
  void release(const distribution::StoragePtr& storage);
  /// Number of the last step that was begun, on all ranks alike after run().
  std::uint64_t last_step() const { return step_; }
  const Counters& counters() const { return counters_; }
  void reset_counters();
  /// Messages to other nodes; null when there are none.
  GhostExchange* ghost_exchange() { return ghost_exchange_.get(); }
  const GhostExchange* ghost_exchange() const { return ghost_exchange_.get(); }
  /// On when made, if there are others to help.
  void set_balance(Balance balance) { balance_ = comm_.ranks_on_node() > 1 ? balance : Balance::off; }

 private:
  void prepare(const plan::Plan& plan, const plan::Step& step,
               std::vector<distribution::StoragePtr>& storages, const StepContext& context);
  void run_body(const plan::Step& step, const distribution::Exchange* exchange, const StepContext& context,
                const Observer& observer);
  void settle(const plan::Step& step, const StepContext& context);

  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  std::atomic<std::uint64_t> step_ = 0;  // written by this thread only; a status reads it meanwhile
  bool has_failed_ = false;              // in this batch, on this rank
  Counters counters_;
  Workspace workspace_;
  Balance balance_ = Balance::off;
  std::unique_ptr<GhostExchange> ghost_exchange_;
};

}  // namespace gamelan::engine::steps
