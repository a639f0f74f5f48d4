// SPDX-License-Identifier: BSD-3-Clause
// Bounds for the cuts of sorted runs, from every n-th item of each run: only items between the bounds must be
// looked at to find the exact cuts. For runs on other nodes, where each look is a message. Pure. (Regular
// sampling: Shi and Schaeffer 1992, "Parallel sorting by regular sampling", used here to bound exact cuts,
// not to choose splitters.)
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace gamelan::engine::steps::sorting {

/// Items 0, spacing, 2 * spacing, ... of a run of `length`.
template <class Item>
struct Sample {
  std::int64_t length = 0;
  std::vector<Item> items;
};

/// For each run, where exact_cuts may cut: low <= cut <= high.
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
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.item->key < b.item->key; });

  Bounds bounds;
  bounds.low.assign(runs.size(), 0);
  for (const auto& run : runs) bounds.high.push_back(std::min(run.length, wanted));
  // Before sample x lie all samples seen so far, hence at least `least` items of each run and at most `most`;
  // of its own run exactly so many. Both only rise from sample to sample, so the last sample with few enough
  // before it bounds the cuts from below, and the first one with enough from above: each is looked for in all
  // runs once, not per sample.
  std::vector<std::int64_t> least(runs.size(), 0), most(runs.size(), 0);
  std::int64_t sum_least = 0, sum_most = 0;
  bool has_low = false;
  Place last{};  // the last sample with few enough before it, and the items of its own run before it
  std::int64_t last_exactly = 0;
  const auto set_low = [&](std::size_t run, std::int64_t exactly) {
    bounds.low = least;
    bounds.low[run] = exactly;
    has_low = true;
  };
  for (const auto& place : places) {
    const auto run = place.run;
    const auto exactly = most[run];
    if (sum_most <= wanted) {
      last = place;
      last_exactly = exactly;
    } else if (!has_low) {
      set_low(last.run, last_exactly);
    }
    if (sum_least - least[run] + exactly >= wanted) {
      if (!has_low) set_low(last.run, last_exactly);
      for (std::size_t r = 0; r < runs.size(); ++r) bounds.high[r] = std::min(bounds.high[r], most[r]);
      break;
    }
    sum_least += exactly + 1 - least[run];
    least[run] = exactly + 1;
    const auto next = std::min(runs[run].length, exactly + spacing);
    sum_most += next - most[run];
    most[run] = next;
  }
  if (!has_low && last.item) set_low(last.run, last_exactly);
  for (std::size_t r = 0; r < runs.size(); ++r) bounds.high[r] = std::max(bounds.high[r], bounds.low[r]);
  return bounds;
}

}  // namespace gamelan::engine::steps::sorting
