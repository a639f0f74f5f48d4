// SPDX-License-Identifier: BSD-3-Clause
// weighted_bincount: sums of weights by number. The row is cut into segments by its length alone. A rank adds
// each of its segments into a table of its own, in order, and the owner of a bin adds the tables by rising
// segment. So the order of additions, and with it every bit, is the same at any number of ranks.
#include <algorithm>

#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {

void run(const StepContext& context, const plan::WeightedCount& weighted) {
  Stream numbers(context, weighted.numbers, weighted.numbers_dtype, protocol::Dtype::int64);
  Stream weights(context, weighted.weights, weighted.weights_dtype, protocol::Dtype::float64);
  const auto bins = static_cast<std::uint64_t>(weighted.bins);
  auto* table = reinterpret_cast<double*>(context.own_block(weighted.tables));
  const auto first = weighted.per_rank * context.rank();
  const auto last = std::min(first + weighted.per_rank, weighted.segments);
  for (auto segment = first; segment < last; ++segment, table += bins) {
    std::fill_n(table, bins, 0.0);
    const auto stop = std::min((segment + 1) * weighted.length, weighted.count);
    for (auto at = segment * weighted.length; at < stop; at += Stream::chunk) {
      const auto some = std::min(Stream::chunk, stop - at);
      const auto* number = numbers.read_as<std::int64_t>(at, some);
      const auto* weight = weights.read_as<double>(at, some);
      for (std::int64_t i = 0; i < some; ++i)
        if (static_cast<std::uint64_t>(number[i]) < bins) table[number[i]] += weight[i];
    }
  }
}

void run(const StepContext& context, const plan::AddWeightedCounts& add) {
  const auto& layout = context.info(add.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto& weighted = add.weighted;
  const auto mine = layout.box(context.rank())[0];
  auto* out = reinterpret_cast<double*>(context.own_block(add.out));
  std::fill_n(out, mine.size(), 0.0);
  for (std::int64_t segment = 0; segment < weighted.segments; ++segment) {
    const auto* tables = reinterpret_cast<const double*>(
        context.block(weighted.tables, static_cast<int>(segment / weighted.per_rank)));
    const auto* table = tables + segment % weighted.per_rank * weighted.bins + mine.first;
    for (std::int64_t b = 0; b < mine.size(); ++b) out[b] += table[b];
    context.progress();
  }
}

}  // namespace gamelan::engine::steps
