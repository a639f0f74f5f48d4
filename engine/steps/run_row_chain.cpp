// SPDX-License-Identifier: BSD-3-Clause
// A chain of rows: every part over some rows, while these are in cache, then over the next ones.
#include <algorithm>

#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {

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
