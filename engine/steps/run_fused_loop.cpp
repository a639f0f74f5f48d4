// SPDX-License-Identifier: BSD-3-Clause
// An element-wise pass. Small operands that many elements share are copied at first. Cells whose operands all
// lie with this rank then come before those that read a neighbour's block, which gives the neighbour time to
// finish its part. Other ranks may help with the former.
#include "engine/steps/box_runner.hpp"
#include "engine/steps/carry.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/steps/shared_work.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;

constexpr std::int64_t pieces_between_looks = 16;

Box part_of(const distribution::Layout& layout, int rank) {
  return layout.takes_part(rank) ? layout.box(rank) : Box(layout.axes.size());
}

/// One program over its part of the iterations.
class Pass {
 public:
  Pass(const StepContext& context, const plan::FusedLoop& fused)
      : context_(context),
        fused_(fused),
        mine_(part_of(fused.iterations, context.rank())),
        runner_(context, fused, fused.iterations.extents()),
        local_(copied_and_local()),
        cut_(cut(local_)),
        work_(context, cut_.pieces, cut_.pieces > 0,
              [this](int owner, std::int64_t piece) { help(owner, piece); }) {}

  const Box& mine() const { return mine_; }

  /// Computes what lies with this rank, and notes the rest.
  void run_local() {
    if (cut_.pieces == 0) return run_alone();
    work_.run([&](std::int64_t piece) {
      runner_.run_local(piece_of(local_, cut_, piece));
      context_.progress();
    });
    distribution::for_each_slab(mine_, local_, [&](const Box& rim) { runner_.run_local(rim); });
  }
  /// Computes what was noted, and pieces that other ranks have left.
  void finish() {
    runner_.run_noted();
    work_.finish();
  }

 private:
  /// The part of this rank whose operands all lie with it once those that it shares are copied.
  Box copied_and_local() {
    runner_.copy_shared(mine_);
    return runner_.local_part(context_.rank(), mine_);
  }
  /// Works in pieces while messages are under way, because MPI moves them only while it is called.
  void run_alone() {
    if (!context_.has_messages() || mine_.empty() || mine_[0].size() < 2) return runner_.run_local(mine_);
    const Cut pieces{0, std::min(mine_[0].size(), pieces_between_looks)};
    for (std::int64_t piece = 0; piece < pieces.pieces; ++piece) {
      runner_.run_local(piece_of(mine_, pieces, piece));
      context_.progress();
    }
  }
  Cut cut(const Box& local) const {
    // A replica must be computed by its owner: another rank would write its own.
    if (fused_.iterations.is_replicated) return {};
    return cut_for_sharing(local, fused_.program.code.size(), context_.balance());
  }
  void help(int owner, std::int64_t piece) {
    const Box theirs = runner_.local_part(owner, part_of(fused_.iterations, owner));
    runner_.run_for(owner, piece_of(theirs, cut(theirs), piece));
  }

  const StepContext& context_;
  const plan::FusedLoop& fused_;
  const Box mine_;
  BoxRunner runner_;
  const Box local_;
  const Cut cut_;
  SharedWork work_;
};

}  // namespace

void run(const StepContext& context, const plan::FusedLoop& fused) {
  for (const auto& each : fused.carries) carry(context, each);
  if (fused.computes_nothing()) return;
  const Box mine = part_of(fused.iterations, context.rank());
  // A rank without a part may still help.
  const bool may_help = context.balance() != Balance::off && !mine.empty();
  if (!may_help && (!fused.iterations.takes_part(context.rank()) || is_empty(mine))) return;
  if (!fused.interior) {
    Pass pass(context, fused);
    pass.run_local();
    pass.finish();
    return;
  }
  BoxRunner rim(context, fused, fused.iterations.extents());
  Pass inner(context, *fused.interior);
  inner.run_local();
  distribution::for_each_slab(mine, distribution::moved(inner.mine(), fused.interior_first),
                              [&](const Box& slab) { rim.run_local(slab); });
  rim.run_noted();
  inner.finish();
}

}  // namespace gamelan::engine::steps
