// SPDX-License-Identifier: BSD-3-Clause
// An element-wise pass: the cells whose operands all lie here first, then those that read a neighbour's block, so that
// the neighbour has the time of the interior to finish its part.
#include "engine/exec/box_runner.hpp"

namespace gamelan::engine::exec {

void run(const Site& site, const plan::Kernel& kernel) {
  for (const auto& each : kernel.carries) carry(site, each);
  if (!kernel.iterations.takes_part(site.rank())) return;
  const auto box = kernel.iterations.box(site.rank());
  if (is_empty(box)) return;
  BoxRunner runner(site, kernel, kernel.iterations.extents());
  if (!kernel.inset) {
    runner.run_local(box);
    runner.run_noted();
    return;
  }
  BoxRunner inner(site, *kernel.inset, kernel.inset->iterations.extents());
  const auto mine = kernel.inset->iterations.box(site.rank());
  if (!is_empty(mine)) inner.run_local(mine);
  dist::for_each_slab(box, dist::moved(mine, kernel.inset_first), [&](const dist::Box& slab) { runner.run_local(slab); });
  inner.run_noted();
  runner.run_noted();
}

}  // namespace gamelan::engine::exec
