// SPDX-License-Identifier: BSD-3-Clause
// sort and argsort. A line that lies with one rank is sorted there. A row that ranks share: each sorts its interval, then
// finds by binary search in the runs of all where its interval of the result begins and ends in each of them, and merges
// that: every rank has the same share of the work whatever the data, and no sample decides.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/exec/far.hpp"
#include "engine/exec/run_bounds.hpp"
#include "engine/exec/sort_keys.hpp"
#include "engine/exec/sort_runs.hpp"
#include "engine/exec/stream.hpp"

namespace gamelan::engine::exec {
namespace {

using namespace sorting;
using protocol::Shape;

/// Runs `visit` with the coder of the dtype and the item that is sorted.
template <class Visit>
void with_items(protocol::Dtype dtype, bool gives_places, Visit visit) {
  with_coder(dtype, [&]<class Coder>() {
    if (gives_places) visit.template operator()<Coder, KeyAndPlace<typename Coder::Key>>();
    else visit.template operator()<Coder, KeyOnly<typename Coder::Key>>();
  });
}

template <class Item>
constexpr bool has_place = std::is_same_v<Item, KeyAndPlace<typename Item::Key>>;

template <class Coder, class Item>
Item make_item(typename Coder::Element element, std::int64_t place) {
  const auto key = Coder::encode(element, has_place<Item>);
  if constexpr (has_place<Item>) return {key, place};
  else return {key};
}

/// What the result holds for an item.
template <class Coder, class Item>
auto result_of(const Item& item) {
  if constexpr (has_place<Item>) return item.place;
  else return Coder::decode(item.key);
}

/// Elements [mine) of a row as items.
template <class Coder, class Item>
void read_row(const Site& site, const plan::Operand& row, protocol::Dtype dtype, const dist::Interval& mine, Item* items) {
  Stream elements(site, row, dtype, dtype);
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto count = std::min(Stream::chunk, mine.last - at);
    const auto* element = elements.read_as<typename Coder::Element>(at, count);
    for (std::int64_t i = 0; i < count; ++i) *items++ = make_item<Coder, Item>(element[i], at + i);
  }
}

template <class Coder, class Item>
void sort_row(const Site& site, const plan::SortLines& sort, const dist::Interval& mine) {
  auto* spare = reinterpret_cast<Item*>(site.own_block(sort.items));
  Item* items = spare + mine.size();
  if constexpr (!has_place<Item>) items = reinterpret_cast<Item*>(site.own_block(sort.out));  // a key takes an element's room
  read_row<Coder>(site, sort.input, sort.dtype, mine, items);
  sort_run(items, spare, mine.size(), [&] { site.progress(); });
  using Result = decltype(result_of<Coder>(*items));
  std::transform(items, items + mine.size(), reinterpret_cast<Result*>(site.own_block(sort.out)), result_of<Coder, Item>);
}

template <class Coder, class Item>
void sort_lines(const Site& site, const plan::SortLines& sort, const dist::Box& mine) {
  using Element = typename Coder::Element;
  Shape extents;
  for (const auto& interval : mine) extents.push_back(interval.size());
  std::byte* block = site.own_block(sort.values);
  copy_operand(site, sort.input, sort.dtype, sort.dtype, mine, block, protocol::contiguous_strides(extents, sizeof(Element)));
  const auto length = extents[sort.axis];
  std::int64_t before = 1, inner = 1;
  for (std::size_t k = 0; k < sort.axis; ++k) before *= extents[k];
  for (std::size_t k = sort.axis + 1; k < extents.size(); ++k) inner *= extents[k];
  auto* items = reinterpret_cast<Item*>(site.own_block(sort.items));
  const auto* elements = reinterpret_cast<const Element*>(block);
  auto* results = reinterpret_cast<decltype(result_of<Coder>(*items))*>(site.own_block(sort.out));
  std::int64_t sorted = 0;  // since messages were looked after
  for (std::int64_t line = 0; line < before; ++line)
    for (std::int64_t column = 0; column < inner; ++column) {
      if ((sorted += length) > Stream::chunk) {
        site.progress();
        sorted = 0;
      }
      const auto first = line * length * inner + column;
      for (std::int64_t i = 0; i < length; ++i) items[i] = make_item<Coder, Item>(elements[first + i * inner], i);
      sort_run(items, items + length, length);
      for (std::int64_t i = 0; i < length; ++i) results[first + i * inner] = result_of<Coder>(items[i]);
    }
}

/// The sorted runs of all ranks, where they lie (those of other nodes: in the mirrors).
template <class Item>
struct Runs {
  std::vector<std::span<const Item>> items;
  std::vector<int> owners;
};

template <class Item>
Runs<Item> find_runs(const Site& site, const plan::SortRuns& sort) {
  const auto& axis = sort.layout.axes[0];
  Runs<Item> runs;
  for (int c = 0; c < axis.parts; ++c)
    if (const auto interval = axis.interval(c); interval.size() > 0) {
      runs.owners.push_back(sort.layout.first_rank + c * axis.rank_stride);
      runs.items.emplace_back(reinterpret_cast<const Item*>(site.block(sort.items, runs.owners.back())), static_cast<std::size_t>(interval.size()));
    }
  return runs;
}

using Cuts = std::vector<std::int64_t>;

/// Brings items [first[r], last[r]) of the runs on other nodes. Collective.
template <class Item>
void pull_items(const Site& site, const plan::SortRuns& sort, const Runs<Item>& runs, const std::vector<std::pair<Cuts, Cuts>>& wanted) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Item));
  Pull pull(site, sort.items);
  for (const auto& [first, last] : wanted)
    for (std::size_t r = 0; r < runs.owners.size(); ++r)
      if (!site.is_near(runs.owners[r]) && last[r] > first[r]) pull.ask(runs.owners[r], {first[r] * bytes, bytes, last[r] - first[r], bytes});
  pull.exchange();
}

/// Every n-th item of all runs; those of other nodes are sent. Collective.
template <class Item>
std::vector<Sample<Item>> swap_samples(const Site& site, const plan::SortRuns& sort, const Runs<Item>& runs, std::int64_t spacing) {
  const auto take = [spacing](std::span<const Item> run) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < run.size(); i += static_cast<std::size_t>(spacing)) items.push_back(run[i]);
    return items;
  };
  std::map<int, protocol::Bytes> outgoing;
  const auto own = std::find(runs.owners.begin(), runs.owners.end(), site.rank());
  if (own != runs.owners.end()) {
    const auto items = take(runs.items[static_cast<std::size_t>(own - runs.owners.begin())]);
    const auto bytes = std::as_bytes(std::span(items));
    for (int reader = 0; reader < site.ranks(); ++reader)
      if (!site.is_near(reader) && sort.layout.takes_part(reader)) outgoing[reader].assign(bytes.begin(), bytes.end());
  }
  const auto came = site.courier()->swap(std::move(outgoing));
  std::vector<Sample<Item>> samples;
  for (std::size_t r = 0; r < runs.owners.size(); ++r) {
    auto& sample = samples.emplace_back(Sample<Item>{static_cast<std::int64_t>(runs.items[r].size()), {}});
    if (site.is_near(runs.owners[r])) {
      sample.items = take(runs.items[r]);
    } else if (const auto found = came.find(runs.owners[r]); found != came.end()) {
      sample.items.resize(found->second.size() / sizeof(Item));
      std::memcpy(sample.items.data(), found->second.data(), sample.items.size() * sizeof(Item));
    }
  }
  return samples;
}

/// Where this rank's interval begins and ends in each run, over several nodes: bounds from samples, the items between the
/// bounds, then the items of the interval itself. Collective.
template <class Item>
std::pair<Cuts, Cuts> cut_over_nodes(const Site& site, const plan::SortRuns& sort, const Runs<Item>& runs, const dist::Interval& mine) {
  const auto longest = sort.layout.axes[0].largest_interval();
  const auto spacing = std::max<std::int64_t>(static_cast<std::int64_t>(std::sqrt(static_cast<double>(longest))), 1);
  const auto samples = swap_samples(site, sort, runs, spacing);
  if (mine.size() == 0) {
    pull_items<Item>(site, sort, runs, {});
    pull_items<Item>(site, sort, runs, {});
    return {};
  }
  const auto begin = bound_cuts(samples, spacing, mine.first), end = bound_cuts(samples, spacing, mine.last);
  pull_items<Item>(site, sort, runs, {{begin.low, begin.high}, {end.low, end.high}});
  const auto cut = [&](const Bounds& bounds, std::int64_t wanted) {
    std::vector<std::span<const Item>> windows;
    for (std::size_t r = 0; r < runs.items.size(); ++r) {
      windows.push_back(runs.items[r].subspan(static_cast<std::size_t>(bounds.low[r]), static_cast<std::size_t>(bounds.high[r] - bounds.low[r])));
      wanted -= bounds.low[r];
    }
    auto cuts = exact_cuts<Item>(windows, wanted);
    for (std::size_t r = 0; r < cuts.size(); ++r) cuts[r] += bounds.low[r];
    return cuts;
  };
  std::pair cuts{cut(begin, mine.first), cut(end, mine.last)};
  pull_items<Item>(site, sort, runs, {cuts});
  return cuts;
}

template <class Coder, class Item>
void merge(const Site& site, const plan::MergeRuns& merge, const dist::Interval& mine) {
  auto [runs, owners] = find_runs<Item>(site, merge.runs);
  const auto [first, last] = site.courier() ? cut_over_nodes<Item>(site, merge.runs, {runs, owners}, mine)
                                            : std::pair{exact_cuts<Item>(runs, mine.first), exact_cuts<Item>(runs, mine.last)};
  if (mine.size() == 0) return;
  std::int64_t own = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (reinterpret_cast<const std::byte*>(runs[r].data()) == site.own_block(merge.runs.items)) own = last[r] - first[r];
    runs[r] = runs[r].subspan(static_cast<std::size_t>(first[r]), static_cast<std::size_t>(last[r] - first[r]));
  }
  site.counters().bytes_shared += static_cast<std::uint64_t>(mine.size() - own) * sizeof(Item);
  auto* out = reinterpret_cast<decltype(result_of<Coder>(std::declval<Item>()))*>(site.own_block(merge.out));
  merge_runs<Item>(std::move(runs), [out](std::int64_t n, const Item& item) { out[n] = result_of<Coder>(item); });
}

}  // namespace

void run(const Site& site, const plan::SortLines& sort) {
  const auto& layout = site.info(sort.out).layout;
  if (!layout.takes_part(site.rank())) return;
  const auto mine = layout.box(site.rank());
  if (is_empty(mine)) return;
  with_items(sort.dtype, sort.gives_places, [&]<class Coder, class Item>() {
    if (mine.size() == 1) sort_row<Coder, Item>(site, sort, mine[0]);
    else sort_lines<Coder, Item>(site, sort, mine);
  });
}

void run(const Site& site, const plan::SortRuns& sort) {
  if (!sort.layout.takes_part(site.rank())) return;
  const auto mine = sort.layout.box(site.rank())[0];
  with_items(sort.dtype, sort.gives_places, [&]<class Coder, class Item>() {
    auto* items = reinterpret_cast<Item*>(site.own_block(sort.items));
    read_row<Coder>(site, sort.input, sort.dtype, mine, items);
    sort_run(items, reinterpret_cast<Item*>(site.own_block(sort.spare)), mine.size(), [&] { site.progress(); });
  });
}

void run(const Site& site, const plan::MergeRuns& step) {
  const bool takes_part = step.runs.layout.takes_part(site.rank());
  const auto mine = takes_part ? step.runs.layout.box(site.rank())[0] : dist::Interval{};
  if (mine.size() == 0 && !site.courier()) return;
  with_items(step.runs.dtype, step.runs.gives_places, [&]<class Coder, class Item>() { merge<Coder, Item>(site, step, mine); });
}

}  // namespace gamelan::engine::exec
