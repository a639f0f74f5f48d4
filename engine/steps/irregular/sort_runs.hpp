// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sorted runs: where to cut several runs so that the pieces before the cuts are exactly the
// first n items of all (Varman, Scheufler, Iyer and Ricard 1991, "Merging multiple lists on
// hierarchical-memory multiprocessors"), and a stable merge. Items have a member `key` with operator<.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gamelan::engine::steps::sorting {

/// Where to cut sorted runs so that `wanted` items lie before the cuts, and none of them is greater than one
/// after. Of equal items those of earlier runs come first. Halves the longest undecided piece until all are
/// decided.
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
      if (r == longest)
        at[r] = middle;
      else if (r < longest)
        at[r] = std::upper_bound(run.begin(), run.end(), pivot, less) - run.begin();
      else
        at[r] = std::lower_bound(run.begin(), run.end(), pivot, less) - run.begin();
      before += at[r];
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (before >= wanted)
        high[r] = std::min(high[r], std::max(at[r], low[r]));
      else
        low[r] = std::max(low[r], std::min(at[r] + (r == longest ? 1 : 0), high[r]));
    }
  }
}

/// The state of a merge of two runs: the next items of each, and where the lesser goes.
template <class Item>
struct Merging {
  const Item *a, *a_end, *b, *b_end;
  std::int64_t at;

  /// How many steps can be made before either run may end.
  std::int64_t sure_steps() const { return std::min(a_end - a, b_end - b); }
  template <class Emit>
  void step(Emit& emit) {
    const bool takes_b = b->key < a->key;
    emit(at++, *(takes_b ? b : a), takes_b);
    a += !takes_b;
    b += takes_b;
  }
  template <class Emit>
  void finish(Emit& emit) {
    while (a != a_end && b != b_end) step(emit);
    while (a != a_end) emit(at++, *a++, false);
    while (b != b_end) emit(at++, *b++, true);
  }
};

/// Merges two sorted runs; of equal items those of `a` come first. Calls emit(first + n, n-th item, whether
/// it is from b), not in order of n. In a merge each comparison waits for the one before, so several parts of
/// a long merge take turns.
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
    const auto cuts =
        exact_cuts<Item>(runs, count * static_cast<std::int64_t>(p + 1) / static_cast<std::int64_t>(used));
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

/// A part of the run of that number.
template <class Item>
struct Part {
  std::span<const Item> items;
  std::uint32_t run = 0;
};

/// The items that come first of all: those up to the least of the parts' `each`-th items. They are removed
/// from the parts.
template <class Item>
std::vector<Part<Item>> take_first(std::vector<Part<Item>>& parts, std::size_t each) {
  const auto less = [](const Item& x, const Item& y) { return x.key < y.key; };
  const Item* pivot = nullptr;
  std::size_t of_pivot = 0;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (const Item& last = parts[p].items[std::min(each, parts[p].items.size()) - 1];
        !pivot || last.key < pivot->key) {
      pivot = &last;
      of_pivot = p;
    }
  std::vector<Part<Item>> taken;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto near = parts[p].items.first(std::min(each, parts[p].items.size()));
    const auto end = p == of_pivot  ? near.end()
                     : p < of_pivot ? std::upper_bound(near.begin(), near.end(), *pivot, less)
                                    : std::lower_bound(near.begin(), near.end(), *pivot, less);
    const auto count = static_cast<std::size_t>(end - near.begin());
    if (count > 0) taken.push_back({near.first(count), parts[p].run});
    parts[p].items = parts[p].items.subspan(count);
  }
  std::erase_if(parts, [](const auto& part) { return part.items.empty(); });
  return taken;
}

/// Merges sorted runs; of equal items those of earlier runs come first. Calls emit(n, keep(n-th item, its
/// run)), not in order of n. More than two runs are merged two by two, in pieces that stay in a cache; so
/// what `keep` returns needs a key.
template <class Item, class Keep, class Emit>
void merge_runs(const std::vector<std::span<const Item>>& runs, Keep keep, Emit emit) {
  using Kept = decltype(keep(std::declval<const Item&>(), std::uint32_t{}));
  constexpr std::size_t cached_items = 8192;
  std::vector<Part<Item>> parts;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (!runs[r].empty()) parts.push_back({runs[r], static_cast<std::uint32_t>(r)});
  const auto merge_pair = [&keep](const std::vector<Part<Item>>& of, std::size_t p, std::int64_t first,
                                  auto put) {
    const Part<Item> a = of[p], b = p + 1 < of.size() ? of[p + 1] : Part<Item>{};
    auto keep_and_put = [&](std::int64_t n, const Item& item, bool is_of_b) {
      put(n, keep(item, is_of_b ? b.run : a.run));
    };
    merge_two<Item>(a.items, b.items, first, keep_and_put);
    return a.items.size() + b.items.size();
  };
  std::vector<Kept> halves;
  std::int64_t at = 0;
  while (parts.size() > 2) {
    const auto pieces = take_first(parts, std::max<std::size_t>(cached_items / parts.size(), 16));
    if (pieces.size() <= 2) {
      at += static_cast<std::int64_t>(merge_pair(pieces, 0, at, emit));
      continue;
    }
    std::size_t count = 0;
    for (const auto& piece : pieces) count += piece.items.size();
    halves.resize(std::max(halves.size(), 2 * count));
    Kept *to = halves.data(), *other = to + count;
    std::vector<std::span<const Kept>> kept;
    std::int64_t filled = 0;
    for (std::size_t p = 0; p < pieces.size(); p += 2) {
      const auto size =
          merge_pair(pieces, p, filled, [to](std::int64_t n, const Kept& item) { to[n] = item; });
      kept.push_back({to + filled, size});
      filled += static_cast<std::int64_t>(size);
    }
    while (kept.size() > 2) {
      filled = 0;
      for (std::size_t p = 0; p < kept.size(); p += 2) {
        const auto last = p + 1 < kept.size() ? kept[p + 1] : std::span<const Kept>{};
        auto put = [other](std::int64_t n, const Kept& item, bool) { other[n] = item; };
        merge_two<Kept>(kept[p], last, filled, put);
        const auto size = kept[p].size() + last.size();
        kept[p / 2] = {other + filled, size};
        filled += static_cast<std::int64_t>(size);
      }
      kept.resize((kept.size() + 1) / 2);
      std::swap(to, other);
    }
    auto finish = [&](std::int64_t n, const Kept& item, bool) { emit(n, item); };
    merge_two<Kept>(kept[0], kept[1], at, finish);
    at += static_cast<std::int64_t>(count);
  }
  if (!parts.empty()) merge_pair(parts, 0, at, emit);
}

}  // namespace gamelan::engine::steps::sorting
