// SPDX-License-Identifier: BSD-3-Clause
// Where the sorted runs of a row lie: what the steps of run_sort.cpp leave to those of run_merge.cpp.
#pragma once
#include <vector>

#include "engine/steps/context.hpp"
#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps {

/// The keys of a rank. For a rank of another node: the address where they will be after they were gathered.
template <class Key>
sorting::KeyOnly<Key>* items_of(const StepContext& context, const plan::RunMemory& run, int rank) {
  auto* block = rank == context.rank() ? context.own_block(run.keys) : context.block(run.keys, rank);
  return reinterpret_cast<sorting::KeyOnly<Key>*>(block);
}

/// True when places are words of 32 bits; else they have 64.
inline bool has_short_places(const StepContext& context, const plan::RunMemory& run) {
  return context.info(run.places).dtype == protocol::Dtype::uint32;
}

/// A rank that owns part of the row, and its interval of it.
struct RunOwner {
  int rank;
  distribution::Interval interval;
};

/// The ranks that have a run, in the order of their intervals.
inline std::vector<RunOwner> owners_of_runs(const plan::SortRuns& sort) {
  const auto& axis = sort.layout.axes[0];
  std::vector<RunOwner> owners;
  for (int c = 0; c < axis.parts; ++c)
    if (const auto interval = axis.interval(c); interval.size() > 0)
      owners.push_back({sort.layout.first_rank + c * axis.rank_stride, interval});
  return owners;
}

}  // namespace gamelan::engine::steps
