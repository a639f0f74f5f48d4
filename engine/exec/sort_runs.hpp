// SPDX-License-Identifier: BSD-3-Clause
// Sorted runs, the part that is arithmetic only: where to cut several so that the pieces before the cuts are exactly the
// first n of all (Varman, Scheufler, Iyer and Ricard 1991, "Merging multiple lists on hierarchical-memory
// multiprocessors"), and a stable merge. Items have a member `key` with operator<.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/exec/radix_sort.hpp"

namespace gamelan::engine::exec::sorting {

template <class Item>
void compare_sort(Item* items, std::int64_t count, const Between& between = {}) {
  constexpr std::uint32_t many = 1U << 16;
  std::uint32_t compared = 0;
  std::stable_sort(items, items + count, [&](const Item& a, const Item& b) {
    if (++compared % many == 0 && between) between();
    return a.key < b.key;
  });
}

/// Stable; places are consecutive. `spare` holds as many items, or is null for keys that are compared. `between` is called
/// now and then.
template <class Item>
void sort_run(Item* items, Item* spare, std::int64_t count, const Between& between = {}) {
  if constexpr (std::is_integral_v<typename Item::Key>) radix_sort(items, spare, count, between);
  else compare_sort(items, count, between);
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

/// Two runs in the making of one: the next items of each, and where the lesser goes.
template <class Item>
struct Merging {
  const Item *a, *a_end, *b, *b_end;
  std::int64_t at;

  /// Steps that can be made before either run ends.
  std::int64_t sure_steps() const { return std::min(a_end - a, b_end - b); }
  template <class Emit>
  void step(Emit& emit) {
    const bool takes_b = b->key < a->key;
    emit(at++, *(takes_b ? b : a));
    a += !takes_b;
    b += takes_b;
  }
  template <class Emit>
  void finish(Emit& emit) {
    while (a != a_end && b != b_end) step(emit);
    while (a != a_end) emit(at++, *a++);
    while (b != b_end) emit(at++, *b++);
  }
};

/// Merges two sorted runs; of equal items those of `a` come first. Calls emit(first + n, n-th item), not in order of n:
/// a merge waits for each comparison before the next, so several parts of a long one go on in turn.
template <class Item, class Emit>
void merge_two(std::span<const Item> a, std::span<const Item> b, std::int64_t first, Emit& emit) {
  constexpr std::size_t parts = 4;
  constexpr std::int64_t worth_parts = 1024;
  const std::array runs{a, b};
  const auto count = static_cast<std::int64_t>(a.size() + b.size());
  std::array<Merging<Item>, parts> merging;
  std::array<const Item*, 2> next{a.data(), b.data()};
  const std::size_t used = count < worth_parts ? 1 : parts;
  for (std::size_t p = 0; p < used; ++p) {
    const auto cuts = exact_cuts<Item>(runs, count * static_cast<std::int64_t>(p + 1) / static_cast<std::int64_t>(used));
    merging[p] = {next[0], a.data() + cuts[0], next[1], b.data() + cuts[1], first};
    first += merging[p].a_end - merging[p].a + merging[p].b_end - merging[p].b;
    next = {merging[p].a_end, merging[p].b_end};
  }
  while (used == parts) {
    std::int64_t steps = count;
    for (const auto& each : merging) steps = std::min(steps, each.sure_steps());
    if (steps == 0) break;
    auto [m0, m1, m2, m3] = merging;
    for (std::int64_t i = 0; i < steps; ++i) {
      m0.step(emit);
      m1.step(emit);
      m2.step(emit);
      m3.step(emit);
    }
    merging = {m0, m1, m2, m3};
  }
  for (std::size_t p = 0; p < used; ++p) merging[p].finish(emit);
}

/// The items that come first of all, out of the begin of each run: those up to the least of the runs' `each`-th items.
/// They are taken off the runs.
template <class Item>
std::vector<std::span<const Item>> take_first(std::vector<std::span<const Item>>& runs, std::size_t each) {
  const auto less = [](const Item& x, const Item& y) { return x.key < y.key; };
  const Item* pivot = nullptr;
  std::size_t of_pivot = 0;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (const Item& last = runs[r][std::min(each, runs[r].size()) - 1]; !pivot || last.key < pivot->key) {
      pivot = &last;
      of_pivot = r;
    }
  std::vector<std::span<const Item>> taken;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto near = runs[r].first(std::min(each, runs[r].size()));
    const auto end = r == of_pivot ? near.end() : r < of_pivot ? std::upper_bound(near.begin(), near.end(), *pivot, less)
                                                               : std::lower_bound(near.begin(), near.end(), *pivot, less);
    const auto count = static_cast<std::size_t>(end - near.begin());
    if (count > 0) taken.push_back(near.first(count));
    runs[r] = runs[r].subspan(count);
  }
  std::erase_if(runs, [](const auto& run) { return run.empty(); });
  return taken;
}

/// Merges sorted runs; of equal items those of earlier runs come first. Calls emit(n, n-th item), not in order of n.
/// More than two are merged two by two, in pieces that stay in a cache.
template <class Item, class Emit>
void merge_runs(std::vector<std::span<const Item>> runs, Emit emit) {
  constexpr std::size_t cached_items = 8192;
  std::vector<Item> halves;
  std::int64_t at = 0;
  std::erase_if(runs, [](const auto& run) { return run.empty(); });
  while (runs.size() > 2) {
    auto pieces = take_first(runs, std::max<std::size_t>(cached_items / runs.size(), 16));
    std::size_t count = 0;
    for (const auto& piece : pieces) count += piece.size();
    halves.resize(std::max(halves.size(), 2 * count));
    Item *to = halves.data(), *other = to + count;
    while (pieces.size() > 2) {
      std::int64_t filled = 0;
      for (std::size_t p = 0; p < pieces.size(); p += 2) {
        const auto last = p + 1 < pieces.size() ? pieces[p + 1] : std::span<const Item>{};
        auto put = [to](std::int64_t n, const Item& item) { to[n] = item; };
        merge_two<Item>(pieces[p], last, filled, put);
        const auto size = pieces[p].size() + last.size();
        pieces[p / 2] = {to + filled, size};
        filled += static_cast<std::int64_t>(size);
      }
      pieces.resize((pieces.size() + 1) / 2);
      std::swap(to, other);
    }
    merge_two<Item>(pieces[0], pieces.size() > 1 ? pieces[1] : std::span<const Item>{}, at, emit);
    at += static_cast<std::int64_t>(count);
  }
  if (!runs.empty()) merge_two<Item>(runs[0], runs.size() > 1 ? runs[1] : std::span<const Item>{}, at, emit);
}

}  // namespace gamelan::engine::exec::sorting
