// SPDX-License-Identifier: BSD-3-Clause
// Sorting, the part that is arithmetic only: a stable sort of one run, where to cut several sorted runs so that the pieces
// before the cuts are exactly the first n of all (Varman, Scheufler, Iyer and Ricard 1991, "Merging multiple lists on
// hierarchical-memory multiprocessors"), and a stable merge. Items have a member `key` with operator<.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gamelan::engine::exec::sorting {

constexpr std::int64_t shortest_radix_run = 512;  // shorter ones are compared: counting has a fixed cost

template <class Item>
void compare_sort(Item* items, std::int64_t count) {
  std::stable_sort(items, items + count, [](const Item& a, const Item& b) { return a.key < b.key; });
}

/// Least significant digit first (Knuth, volume 3, 5.2.5), in bytes; digits that all items share are passed over. `spare`
/// holds as many items. The result is in `items`.
template <class Item>
void radix_sort(Item* items, Item* spare, std::int64_t count) {
  using Key = typename Item::Key;
  constexpr std::size_t digits = sizeof(Key);
  std::array<std::array<std::int64_t, 256>, digits> counts{};
  for (std::int64_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < digits; ++d) ++counts[d][(items[i].key >> (8 * d)) & 0xff];
  Item* from = items;
  Item* to = spare;
  for (std::size_t d = 0; d < digits; ++d) {
    auto& next = counts[d];
    if (std::find(next.begin(), next.end(), count) != next.end()) continue;
    std::int64_t first = 0;
    for (auto& bin : next) first += std::exchange(bin, first);
    for (std::int64_t i = 0; i < count; ++i) to[next[(from[i].key >> (8 * d)) & 0xff]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, count, items);
}

/// Stable; `spare` holds as many items, or is null for a run that is compared.
template <class Item>
void sort_run(Item* items, Item* spare, std::int64_t count) {
  if constexpr (std::is_integral_v<typename Item::Key>) {
    if (count >= shortest_radix_run) return radix_sort(items, spare, count);
  }
  compare_sort(items, count);
}

/// Where to cut sorted runs so that `wanted` items lie before the cuts, none of them greater than one after; of equal
/// items those of earlier runs come first. Halves the longest undecided piece until nothing is undecided.
template <class Item>
std::vector<std::int64_t> exact_cuts(std::span<const std::span<const Item>> runs, std::int64_t wanted) {
  const auto less = [](const Item& a, const Item& b) { return a.key < b.key; };
  std::vector<std::int64_t> low(runs.size(), 0), high, at(runs.size());
  for (const auto& run : runs) high.push_back(std::min(static_cast<std::int64_t>(run.size()), wanted));
  while (true) {
    std::size_t longest = 0;
    for (std::size_t r = 1; r < runs.size(); ++r)
      if (high[r] - low[r] > high[longest] - low[longest]) longest = r;
    if (runs.empty() || high[longest] == low[longest]) return low;
    const auto middle = low[longest] + (high[longest] - low[longest]) / 2;
    const Item& pivot = runs[longest][static_cast<std::size_t>(middle)];
    std::int64_t before = 0;  // items that come before the pivot in the stable order
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto run = runs[r];
      if (r == longest) at[r] = middle;
      else if (r < longest) at[r] = std::upper_bound(run.begin(), run.end(), pivot, less) - run.begin();
      else at[r] = std::lower_bound(run.begin(), run.end(), pivot, less) - run.begin();
      before += at[r];
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (before >= wanted) high[r] = std::min(high[r], std::max(at[r], low[r]));
      else low[r] = std::max(low[r], std::min(at[r] + (r == longest ? 1 : 0), high[r]));
    }
  }
}

/// Merges sorted runs; of equal items those of earlier runs come first. Calls emit(item) in order.
template <class Item, class Emit>
void merge_runs(std::vector<std::span<const Item>> runs, Emit emit) {
  std::erase_if(runs, [](const auto& run) { return run.empty(); });
  while (runs.size() > 2) {
    // A tournament of heads would do for many runs; ranks of a node are few, so the least head is looked for.
    std::size_t least = 0;
    for (std::size_t r = 1; r < runs.size(); ++r)
      if (runs[r].front().key < runs[least].front().key) least = r;
    emit(runs[least].front());
    runs[least] = runs[least].subspan(1);
    if (runs[least].empty()) runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(least));
  }
  if (runs.size() == 2) {
    const Item *a = runs[0].data(), *b = runs[1].data();
    const Item *const a_end = a + runs[0].size(), *const b_end = b + runs[1].size();
    while (a != a_end && b != b_end) {
      const bool takes_b = b->key < a->key;
      emit(takes_b ? *b : *a);
      a += !takes_b;
      b += takes_b;
    }
    for (; a != a_end; ++a) emit(*a);
    for (; b != b_end; ++b) emit(*b);
  } else if (runs.size() == 1) {
    for (const auto& item : runs[0]) emit(item);
  }
}

}  // namespace gamelan::engine::exec::sorting
