// SPDX-License-Identifier: BSD-3-Clause
// An element-wise pass over some rows at a time. Those of reductions and searches are with these.
#include "engine/steps/row_pass.hpp"

#include "engine/steps/box_runner.hpp"

namespace gamelan::engine::steps {

std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FusedLoop& fused) {
  struct Pass : RowPass {
    Pass(const StepContext& context, const plan::FusedLoop& fused)
        : iterations(fused.iterations),
          rank(context.rank()),
          box(iterations.box(rank)),
          runner(context, fused, iterations.extents()) {}
    void copy_shared() override { runner.copy_shared(iterations.box(rank)); }
    void run(const distribution::Interval& rows, int owner) override {
      box.front() = rows;  // the only axis that is cut
      runner.run_for(owner, box);
    }
    const distribution::Layout& iterations;
    const int rank;
    distribution::Box box;
    BoxRunner runner;
  };
  return std::make_unique<Pass>(context, fused);
}

}  // namespace gamelan::engine::steps
