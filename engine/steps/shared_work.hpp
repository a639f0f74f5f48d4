// SPDX-License-Identifier: BSD-3-Clause
// Dynamic balance on a node: a rank's part of a step is cut into pieces, and a rank that is through with its
// own draws pieces of its neighbours', in place in their blocks. Who does a piece changes nothing: it has the
// same elements, the same program and the same bits. For passes whose pieces may be done in any order. A rank
// that helps is at the same step and has awaited what the step awaits. With a piece in hand it waits at most
// for an earlier step of a third rank, and that one waits for nobody who is at this step: there are no
// circles. Used by run_fused_loop and run_fold.
#pragma once
#include <cstdint>
#include <functional>

#include "engine/steps/context.hpp"

namespace gamelan::engine::steps {

class SharedWork {
 public:
  /// Does piece `piece` of `owner`'s part, on this rank. May throw.
  using Help = std::function<void(int owner, std::int64_t piece)>;

  /// Opens the `pieces` of this rank's part to all, if they are shared.
  SharedWork(const StepContext& context, std::int64_t pieces, bool are_shared, Help help);
  /// Withdraws what nobody has taken, and waits for what others have.
  ~SharedWork();
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  /// Calls work(piece) for the own pieces, in order, until all are done or taken by others.
  template <class Work>
  void run(Work work) {
    if (!is_open_) {
      for (std::int64_t piece = 0; piece < pieces_; ++piece) work(piece);
      return;
    }
    let_others_begin();
    while (const auto piece = take_own()) work(*piece);
  }
  /// Does what a few neighbours have left, then waits until the helpers of this rank are through. Throws what
  /// `help` throws.
  void finish();

 private:
  std::optional<std::int64_t> take_own();
  void let_others_begin();  // a test's: each looks for others' work before its own
  void help_others();
  void await_helpers();

  const StepContext& context_;
  const std::int64_t pieces_;
  const Help help_;
  std::int64_t own_ = 0;  // pieces taken by this rank
  bool is_open_;
};

/// How a box is cut for sharing: `pieces` along `axis`; 0 pieces when it is too small to be worth it.
struct Cut {
  std::size_t axis = 0;
  std::int64_t pieces = 0;
};
/// For a pass of so many instructions an element. Depends on its arguments and `balance` only: helpers come
/// to the same cut.
Cut cut_for_sharing(const distribution::Box& box, std::size_t instructions, Balance balance);
distribution::Box piece_of(const distribution::Box& box, const Cut& cut, std::int64_t piece);

}  // namespace gamelan::engine::steps
