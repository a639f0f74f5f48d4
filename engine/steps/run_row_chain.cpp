// SPDX-License-Identifier: BSD-3-Clause
// A chain of rows: every part over some rows, while these are in cache, then over the next ones.
#include <algorithm>

#include "engine/steps/box_runner.hpp"
#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"

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

void run(const StepContext& context, const plan::RowChain& chain) {
  if (!chain.rows.takes_part(context.rank())) return;
  const auto mine = chain.rows.box(context.rank()).front();
  if (mine.size() <= 0) return;
  std::vector<std::unique_ptr<RowPass>> parts;
  for (const auto& part : chain.parts) {
    parts.push_back(std::visit([&](const auto& each) { return row_pass(context, each); }, part));
    parts.back()->copy_shared();  // of the chain's own results a rank reads only its rows
  }
  for (auto first = mine.first; first < mine.last; first += chain.together) {
    for (const int slot : chain.passing)
      context.storage(slot).bytes_before = (first - mine.first) * context.row_bytes(slot);
    for (const auto& part : parts)
      part->run({first, std::min(first + chain.together, mine.last)}, context.rank());
    context.progress();
  }
}

}  // namespace gamelan::engine::steps
