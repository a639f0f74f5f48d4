// SPDX-License-Identifier: BSD-3-Clause
// The step in which all ranks compute on one matrix together: hands the blocks in their slots to ScaLAPACK.
#include "engine/steps/linalg/scalapack.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {

void run(const StepContext& context, const plan::BlockedMatrix& linalg) {
  BlockedTask task{.routine = linalg.routine,
                   .loop = linalg.loop,
                   .flag = linalg.flag,
                   .a_blocks = linalg.a_blocks,
                   .b_blocks = linalg.b_blocks};
  task.a = context.own_block(linalg.a);
  if (linalg.b >= 0) task.b = context.own_block(linalg.b);
  const auto item = protocol::size_of(linalg.loop);
  std::size_t made = 0;
  for (const auto& result : linalg.results) {
    if (result.slot != linalg.made) continue;
    task.made[made] = context.own_block(linalg.made) + static_cast<std::size_t>(result.offset) * item;
    task.made_blocks[made++] = result.blocks;
  }
  compute_together(context.comm(), task);
}

}  // namespace gamelan::engine::steps
