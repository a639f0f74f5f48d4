// SPDX-License-Identifier: BSD-3-Clause
// Balances the work of the ranks of a node: a rank's part of a step is cut into pieces, and a rank that is
// done takes pieces of its neighbours and computes them in place, in their blocks. The result does not depend
// on which rank computes a piece: it has the same elements, the same program and the same bits. For passes
// whose pieces may be done in any order. There is no deadlock: a rank that helps is at the same step and has
// awaited what the step awaits; with a piece in hand it waits at most for an earlier step of a third rank,
// which waits for no rank that is at this step. Used by run_fused_loop and run_fold.
#pragma once
#include <cstdint>
#include <functional>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

class SharedWork {
 public:
  /// Computes piece `piece` of `owner`'s part on this rank. May throw.
  using Help = std::function<void(int owner, std::int64_t piece)>;

  /// Offers the `pieces` of this rank's part to all ranks of the node, if they are shared.
  SharedWork(const StepContext& context, std::int64_t pieces, bool are_shared, Help help);
  /// Withdraws pieces that no rank has taken, and waits for those that others have taken.
  ~SharedWork();
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  /// Calls work(piece) for this rank's pieces, in order, until all are done or taken by others.
  template <class Work>
  void run(Work work) {
    if (!is_open_) {
      for (std::int64_t piece = 0; piece < pieces_; ++piece) work(piece);
      return;
    }
    let_others_begin();
    while (const auto piece = take_own()) work(*piece);
  }
  /// Computes pieces that a few neighbours have left, then waits for the helpers of this rank. Throws what
  /// `help` throws.
  void finish();

 private:
  std::optional<std::int64_t> take_own();
  void let_others_begin();  // for tests: ranks look for others' work before their own
  void help_others();
  void await_helpers();

  const StepContext& context_;
  const std::int64_t pieces_;
  const Help help_;
  std::int64_t own_ = 0;  // pieces taken by this rank
  bool is_open_;
};

/// How a box is cut for sharing: into `pieces` along `axis`; 0 pieces when it is too small to be cut.
struct Cut {
  std::size_t axis = 0;
  std::int64_t pieces = 0;
};
/// The cut for a pass of so many instructions per element. It depends on the arguments only, so helpers get
/// the same cut.
Cut cut_for_sharing(const distribution::Box& box, std::size_t instructions, Balance balance);
distribution::Box piece_of(const distribution::Box& box, const Cut& cut, std::int64_t piece);

}  // namespace gamelan::engine::steps
