// SPDX-License-Identifier: BSD-3-Clause
// What a running step may touch: the blocks behind the plan's slots, here and on this node, and the waits
// that make reading a neighbour's block in place correct. One StepContext per step, which the executor makes
// and hands to what runs the step (run_step.hpp).
#pragma once
#include <span>
#include <vector>

#include "engine/distribution/heap.hpp"
#include "engine/distribution/storage.hpp"
#include "engine/nodes/board.hpp"
#include "engine/plan/plan.hpp"
#include "engine/ranks/comm.hpp"
#include "engine/steps/ghost_exchange.hpp"
#include "engine/steps/workspace.hpp"

namespace gamelan::engine::steps {

/// What this rank did, summed over steps (np.stats()).
struct Counters {
  std::uint64_t steps = 0, bytes_shared = 0, pieces_helped = 0;
  double compute_seconds = 0;
};

/// Do ranks that are through help others (shared_work.hpp)? `always`: even with the smallest piece, and first
/// of all.
enum class Balance : std::uint8_t { off, on, always };

class StepContext {
 public:
  StepContext(Comm& comm, distribution::Heap& heap, Board& board, const plan::Plan& plan,
              std::span<const distribution::StoragePtr> storages, const protocol::Batch& batch,
              std::uint64_t step, Counters& counters, Workspace& workspace, Balance balance,
              GhostExchange* ghost_exchange)
      : comm_(comm),
        heap_(heap),
        board_(board),
        plan_(plan),
        storages_(storages),
        batch_(batch),
        step_(step),
        counters_(counters),
        workspace_(workspace),
        balance_(balance),
        ghost_exchange_(ghost_exchange) {}

  Comm& comm() const { return comm_; }  ///< for steps that all ranks compute together
  int rank() const { return comm_.rank(); }
  int ranks() const { return comm_.size(); }
  std::uint64_t step() const { return step_; }
  distribution::Heap& heap() const { return heap_; }
  Board& board() const { return board_; }
  std::span<const distribution::StoragePtr> storages() const { return storages_; }
  Balance balance() const { return balance_; }
  const plan::ArrayInfo& info(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info; }
  distribution::Storage& storage(int slot) const { return *storages_[static_cast<std::size_t>(slot)]; }
  const protocol::Bytes& payload(int index) const { return batch_.payloads[static_cast<std::size_t>(index)]; }
  Counters& counters() const { return counters_; }
  Workspace& workspace() const { return workspace_; }

  /// Of this rank, when there are several nodes; else null.
  GhostExchange* ghost_exchange() const { return ghost_exchange_; }
  bool is_near(int rank) const { return comm_.is_near(rank); }
  const std::vector<int>& near_ranks() const { return comm_.near_ranks(); }
  /// Lets messages move on; call it now and then in long work.
  void progress() const {
    if (ghost_exchange_) ghost_exchange_->progress();
  }
  /// Are messages on their way, which move only while progress() is called?
  bool has_messages() const { return ghost_exchange_ && ghost_exchange_->is_busy(); }
  /// Does this rank read blocks of other nodes in this step? They come to this rank only, not to its
  /// neighbours.
  bool reads_remote() const { return ghost_exchange_ && ghost_exchange_->reads_remote(); }

  /// Bytes of a piece in another rank's block that a cell reads; what is repeated is read once.
  void count_shared(const distribution::Box& cell, const distribution::Piece& piece,
                    std::size_t item_bytes) const;
  /// Waits until every rank of the node has finished `step` (0: returns at once). Others hold copies of what
  /// they read.
  void await_all(std::uint64_t step) const;
  /// Call once per slot that the step is about to write: nobody still reads or scatters into what is
  /// overwritten.
  void prepare_write(int slot) const;
  /// Call once per slot that the step is about to read.
  void prepare_read(int slot) const;
  /// Start of `owner`'s block of a slot, once its owner has written it; of a rank of another node, of its
  /// ghost buffer, once all has come that the plan foresees.
  std::byte* block(int slot, int owner) const;
  std::byte* own_block(int slot) const { return heap_.address(rank(), storage(slot).block.offset); }
  std::byte* address(const plan::Operand& operand, const distribution::Piece& piece) const {
    return block(operand.slot, piece.owner) + piece.offset;
  }

 private:
  Comm& comm_;
  distribution::Heap& heap_;
  Board& board_;
  const plan::Plan& plan_;
  std::span<const distribution::StoragePtr> storages_;
  const protocol::Batch& batch_;
  std::uint64_t step_;
  Counters& counters_;
  Workspace& workspace_;
  Balance balance_;
  GhostExchange* ghost_exchange_;
};

}  // namespace gamelan::engine::steps
