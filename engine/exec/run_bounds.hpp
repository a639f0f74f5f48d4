// SPDX-License-Identifier: BSD-3-Clause
// Where a cut of sorted runs can lie, from every n-th item of each: what has to be looked at to find it exactly. For runs
// that lie far away, where each look is a message. Pure. (Regular sampling: Shi and Schaeffer 1992, "Parallel sorting by
// regular sampling", used here to bound exact cuts, not to choose splitters.)
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gamelan::engine::exec::sorting {

/// Items 0, spacing, 2 * spacing, ... of a run of `length`.
template <class Item>
struct Sample {
  std::int64_t length = 0;
  std::vector<Item> items;
};

/// Per run, where exact_cuts may cut: low <= cut <= high.
struct Bounds {
  std::vector<std::int64_t> low, high;
};

template <class Item>
Bounds bound_cuts(const std::vector<Sample<Item>>& runs, std::int64_t spacing, std::int64_t wanted) {
  struct Place {
    const Item* item;
    std::size_t run;
  };
  std::vector<Place> places;  // of all samples, in the stable order of their items
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const auto& item : runs[r].items) places.push_back({&item, r});
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.item->key < b.item->key; });

  Bounds bounds;
  bounds.low.assign(runs.size(), 0);
  for (const auto& run : runs) bounds.high.push_back(std::min(run.length, wanted));
  // Before sample x lie all samples seen so far, hence at least `least` items of each run and at most `most`.
  std::vector<std::int64_t> least(runs.size(), 0), most(runs.size(), 0);
  std::int64_t sum_least = 0, sum_most = 0;
  for (const auto& [item, run] : places) {
    const auto exactly = most[run];  // x is sample number most / spacing of its own run
    if (sum_most <= wanted)
      for (std::size_t r = 0; r < runs.size(); ++r) bounds.low[r] = std::max(bounds.low[r], r == run ? exactly : least[r]);
    if (sum_least - least[run] + exactly >= wanted) {
      for (std::size_t r = 0; r < runs.size(); ++r) bounds.high[r] = std::min(bounds.high[r], r == run ? exactly : most[r]);
      break;
    }
    sum_least += exactly + 1 - least[run];
    least[run] = exactly + 1;
    const auto next = std::min(runs[run].length, exactly + spacing);
    sum_most += next - most[run];
    most[run] = next;
  }
  for (std::size_t r = 0; r < runs.size(); ++r) bounds.high[r] = std::max(bounds.high[r], bounds.low[r]);
  return bounds;
}

}  // namespace gamelan::engine::exec::sorting
