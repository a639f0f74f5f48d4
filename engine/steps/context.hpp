// SPDX-License-Identifier: BSD-3-Clause
// What a running step may use: the blocks of the plan's slots on this rank and this node, and the waits that
// make it correct to read a neighbour's block in place. The executor makes one StepContext per step and
// passes it to the function that runs the step (run_step.hpp).
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

/// What this rank has done, summed over steps (np.stats()).
struct Counters {
  std::uint64_t steps = 0, bytes_shared = 0, pieces_helped = 0;
  double compute_seconds = 0;
};

/// Whether ranks that are done help others (shared_work.hpp). `always`, for tests: also with the smallest
/// piece, and before their own.
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
  std::int64_t row_bytes(int slot) const {
    return plan::row_bytes(plan_.slots[static_cast<std::size_t>(slot)]);
  }
  distribution::Storage& storage(int slot) const { return *storages_[static_cast<std::size_t>(slot)]; }
  const protocol::Bytes& payload(int index) const { return batch_.payloads[static_cast<std::size_t>(index)]; }
  Counters& counters() const { return counters_; }
  Workspace& workspace() const { return workspace_; }

  /// This rank's exchange when there are several nodes; else nullptr.
  GhostExchange* ghost_exchange() const { return ghost_exchange_; }
  bool is_near(int rank) const { return comm_.is_near(rank); }
  const std::vector<int>& near_ranks() const { return comm_.near_ranks(); }
  /// Gives messages time to move. To be called now and then during long work.
  void progress() const {
    if (ghost_exchange_) ghost_exchange_->progress();
  }
  /// True when messages are under way, which move only while progress() is called.
  bool has_messages() const { return ghost_exchange_ && ghost_exchange_->is_busy(); }
  /// True when this rank reads blocks of other nodes in this step. Their elements come to this rank only, not
  /// to its neighbours.
  bool reads_remote() const { return ghost_exchange_ && ghost_exchange_->reads_remote(); }

  /// Counts the bytes of a piece in another rank's block that a cell reads. Elements that are read repeatedly
  /// (stride 0) count once.
  void count_shared(const distribution::Box& cell, const distribution::Piece& piece,
                    std::size_t item_bytes) const;
  /// What has been counted; and to have it so again, before the same elements are read once more.
  std::uint64_t bytes_shared() const { return counters_.bytes_shared; }
  void count_again_from(std::uint64_t bytes_shared) const { counters_.bytes_shared = bytes_shared; }
  /// Waits until every rank of the node has finished `step` (0: returns at once). Ranks of other nodes need
  /// not be waited for, because they have copies of what they read.
  void await_all(std::uint64_t step) const;
  /// Waits until no rank reads or scatters into what the step will overwrite. To be called once per slot that
  /// the step writes.
  void prepare_write(int slot) const;
  /// Waits until a slot may be read. To be called once per slot that the step reads.
  void prepare_read(int slot) const;
  /// The start of `owner`'s block of a slot; waits until its owner has written it. For a rank of another
  /// node, the start of its ghost buffer; waits until everything that the plan foresees has come.
  std::byte* block(int slot, int owner) const;
  std::byte* own_block(int slot) const { return block(slot, rank()); }
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
