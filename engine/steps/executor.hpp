// SPDX-License-Identifier: BSD-3-Clause
// Walks a plan: allocates storage, runs each step in the order that all ranks share, and releases storage. It
// decides nothing: the plan says what runs, the Board says when. Called by the session on every rank.
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

  /// Functions that the executor calls. A rank calls fail() and count() before it announces that the step is
  /// finished, so a rank that has waited for the step sees their effects.
  struct Observer {
    std::function<void(int slot, protocol::ArrayId array)>
        bind;  ///< a slot becomes an array's current version
    std::function<void(const Failure&)>
        fail;                     ///< a step has thrown on this rank, not because another rank failed
    std::function<void()> count;  ///< counters() have changed
  };

  /// Runs steps to the end. After an agreed cut it stops before the next step at which a prefix ends.
  /// `storages` has one entry per slot: the caller fills in the inputs, the others are made here. `exchanges`
  /// has one entry per step where there are several nodes. Returns the number of steps run, which is the same
  /// on all ranks. When a step throws on this rank, it and the remaining steps end without work (the other
  /// ranks need not know yet). Throws Error{engine_lost}.
  std::size_t run(const plan::Plan& plan, std::span<const distribution::Exchange> exchanges,
                  std::vector<distribution::StoragePtr>& storages, const protocol::Batch& batch,
                  const Observer& observer);

  /// Releases storage. Other ranks may still read it for some steps; its stamp says until which.
  void release(const distribution::StoragePtr& storage);
  /// Number of the last step that was begun; after run() it is the same on all ranks.
  std::uint64_t last_step() const { return step_; }
  const Counters& counters() const { return counters_; }
  void reset_counters();
  /// The messages to other nodes; nullptr on a single node.
  GhostExchange* ghost_exchange() { return ghost_exchange_.get(); }
  const GhostExchange* ghost_exchange() const { return ghost_exchange_.get(); }
  /// Switches helping on or off. It is on from the start, if the node has several ranks.
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
