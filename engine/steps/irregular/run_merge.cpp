// SPDX-License-Identifier: BSD-3-Clause
// Merges a row whose intervals the ranks have sorted. Each rank finds by binary search where its interval of
// the result begins and ends in every run, and merges these parts. So every rank has the same share of the
// work, whatever the data are, and no samples decide. For argsort the merge of the keys notes which run comes
// next. Only after the keys are freed are the places, 8 bytes each, collected, so the two are never in memory
// together.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/steps/irregular/run_bounds.hpp"
#include "engine/steps/irregular/run_items.hpp"
#include "engine/steps/irregular/sort_runs.hpp"
#include "engine/steps/remote.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using namespace sorting;
using Cuts = std::vector<std::int64_t>;

/// Where this rank's interval of the result begins and ends in each run.
struct Range {
  Cuts first, last;
};

/// The sorted runs of all ranks, where they lie (those of other nodes: in the ghost buffers).
template <class Item>
struct Runs {
  std::vector<std::span<const Item>> items;
  std::vector<RunOwner> owners;
};

template <class Item>
Runs<Item> find_runs(const StepContext& context, const plan::SortRuns& sort) {
  Runs<Item> runs{{}, owners_of_runs(sort)};
  for (const auto& [rank, interval] : runs.owners)
    runs.items.emplace_back(items_of<typename Item::Key>(context, sort.run, rank),
                            static_cast<std::size_t>(interval.size()));
  return runs;
}

/// Brings elements of `bytes` bytes out of the blocks of a slot on other nodes, [first[r], last[r]) of run r.
/// Collective.
void gather_parts(const StepContext& context, int slot, std::int64_t bytes,
                  const std::vector<RunOwner>& owners, const std::vector<Range>& wanted) {
  RemoteGather remote_gather(context, slot);
  for (const auto& [first, last] : wanted)
    for (std::size_t r = 0; r < owners.size(); ++r)
      if (!context.is_near(owners[r].rank) && last[r] > first[r])
        remote_gather.ask(owners[r].rank, {first[r] * bytes, bytes, last[r] - first[r], bytes});
  remote_gather.exchange();
}

/// Every n-th item of all runs; those of other nodes are sent. Collective.
template <class Item>
std::vector<Sample<Item>> swap_samples(const StepContext& context, const plan::SortRuns& sort,
                                       const Runs<Item>& runs, std::int64_t spacing) {
  const auto take = [spacing](std::span<const Item> run) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < run.size(); i += static_cast<std::size_t>(spacing)) items.push_back(run[i]);
    return items;
  };
  std::map<int, protocol::Bytes> outgoing;
  const auto own = std::find_if(runs.owners.begin(), runs.owners.end(),
                                [&](const auto& owner) { return owner.rank == context.rank(); });
  if (own != runs.owners.end()) {
    const auto items = take(runs.items[static_cast<std::size_t>(own - runs.owners.begin())]);
    const auto bytes = std::as_bytes(std::span(items));
    for (int reader = 0; reader < context.ranks(); ++reader)
      if (!context.is_near(reader) && sort.layout.takes_part(reader))
        outgoing[reader].assign(bytes.begin(), bytes.end());
  }
  const auto came = context.ghost_exchange()->swap(std::move(outgoing));
  std::vector<Sample<Item>> samples;
  for (std::size_t r = 0; r < runs.owners.size(); ++r) {
    auto& sample = samples.emplace_back(Sample<Item>{static_cast<std::int64_t>(runs.items[r].size()), {}});
    if (context.is_near(runs.owners[r].rank)) {
      sample.items = take(runs.items[r]);
    } else if (const auto found = came.find(runs.owners[r].rank); found != came.end()) {
      sample.items.resize(found->second.size() / sizeof(Item));
      std::memcpy(sample.items.data(), found->second.data(), sample.items.size() * sizeof(Item));
    }
  }
  return samples;
}

/// The range over several nodes: bounds from samples, the items between the bounds, then the items of the
/// interval itself. Collective.
template <class Item>
Range range_over_nodes(const StepContext& context, const plan::SortRuns& sort, const Runs<Item>& runs,
                       const distribution::Interval& mine) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(Item));
  const auto longest = sort.layout.axes[0].largest_interval();
  const auto spacing =
      std::max<std::int64_t>(static_cast<std::int64_t>(std::sqrt(static_cast<double>(longest))), 1);
  const auto samples = swap_samples(context, sort, runs, spacing);
  if (mine.size() == 0) {
    gather_parts(context, sort.run.keys, bytes, runs.owners, {});
    gather_parts(context, sort.run.keys, bytes, runs.owners, {});
    return {};
  }
  const auto begin = bound_cuts(samples, spacing, mine.first), end = bound_cuts(samples, spacing, mine.last);
  gather_parts(context, sort.run.keys, bytes, runs.owners, {{begin.low, begin.high}, {end.low, end.high}});
  const auto cut = [&](const Bounds& bounds, std::int64_t wanted) {
    std::vector<std::span<const Item>> windows;
    for (std::size_t r = 0; r < runs.items.size(); ++r) {
      windows.push_back(runs.items[r].subspan(static_cast<std::size_t>(bounds.low[r]),
                                              static_cast<std::size_t>(bounds.high[r] - bounds.low[r])));
      wanted -= bounds.low[r];
    }
    auto cuts = exact_cuts<Item>(windows, wanted);
    for (std::size_t r = 0; r < cuts.size(); ++r) cuts[r] += bounds.low[r];
    return cuts;
  };
  Range range{cut(begin, mine.first), cut(end, mine.last)};
  gather_parts(context, sort.run.keys, bytes, runs.owners, {range});
  return range;
}

/// What a merge for argsort keeps of an item.
template <class K>
struct KeyOfRun {
  using Key = K;
  K key;
  std::uint32_t run;
};

/// Calls visit.operator()<Number>() with the type of the numbers of runs.
template <class Visit>
void with_number(protocol::Dtype dtype, Visit visit) {
  if (dtype == protocol::Dtype::uint8)
    visit.template operator()<std::uint8_t>();
  else if (dtype == protocol::Dtype::uint16)
    visit.template operator()<std::uint16_t>();
  else
    visit.template operator()<std::uint32_t>();
}

/// Writes which run comes next. For all dtypes whose keys have one type.
template <class Key>
void merge_order(const StepContext& context, const plan::MergeRuns& step,
                 const std::vector<std::span<const KeyOnly<Key>>>& runs) {
  using Kept = KeyOfRun<Key>;
  with_number(context.info(step.out).dtype, [&]<class Number>() {
    auto* order = reinterpret_cast<Number*>(context.own_block(step.out));
    const auto keep = [](const KeyOnly<Key>& item, std::uint32_t run) { return Kept{item.key, run}; };
    merge_runs<KeyOnly<Key>>(
        runs, keep, [order](std::int64_t n, const Kept& item) { order[n] = static_cast<Number>(item.run); });
  });
}

template <class Coder>
void merge(const StepContext& context, const plan::MergeRuns& step, const distribution::Interval& mine) {
  using Item = KeyOnly<typename Coder::Key>;
  auto runs = find_runs<Item>(context, step.runs);
  const Range range = context.ghost_exchange() ? range_over_nodes<Item>(context, step.runs, runs, mine)
                                               : Range{exact_cuts<Item>(runs.items, mine.first),
                                                       exact_cuts<Item>(runs.items, mine.last)};
  if (mine.size() == 0) return;
  for (std::size_t r = 0; r < runs.items.size(); ++r) {
    const auto count = range.last[r] - range.first[r];
    runs.items[r] =
        runs.items[r].subspan(static_cast<std::size_t>(range.first[r]), static_cast<std::size_t>(count));
    if (runs.owners[r].rank != context.rank())
      context.counters().bytes_shared += static_cast<std::uint64_t>(count) * sizeof(Item);
  }
  if (step.cuts < 0) {
    auto* out = reinterpret_cast<typename Coder::Element*>(context.own_block(step.out));
    const auto keep = [](const Item& item, std::uint32_t) { return item; };
    return merge_runs<Item>(runs.items, keep,
                            [out](std::int64_t n, const Item& item) { out[n] = Coder::decode(item.key); });
  }
  auto* cuts = reinterpret_cast<std::int64_t*>(context.own_block(step.cuts));
  std::copy(range.last.begin(), range.last.end(), std::copy(range.first.begin(), range.first.end(), cuts));
  merge_order<typename Coder::Key>(context, step, runs.items);
}

template <class Place>
void collect(const StepContext& context, const plan::CollectPlaces& step,
             const distribution::Interval& mine) {
  const auto owners = owners_of_runs(step.runs);
  auto* out = reinterpret_cast<std::int64_t*>(context.own_block(step.out));
  if (step.cuts < 0) {  // one run
    const auto* places = reinterpret_cast<const Place*>(context.own_block(step.runs.run.places));
    std::copy_n(places, mine.size(), out);
    return;
  }
  const auto* cuts = reinterpret_cast<const std::int64_t*>(context.own_block(step.cuts));
  const Range range = mine.size() == 0 ? Range{}
                                       : Range{Cuts(cuts, cuts + owners.size()),
                                               Cuts(cuts + owners.size(), cuts + 2 * owners.size())};
  if (context.ghost_exchange()) {
    gather_parts(context, step.runs.run.places, sizeof(Place), owners,
                 mine.size() == 0 ? std::vector<Range>{} : std::vector{range});
    if (mine.size() == 0) return;
  }
  struct Run {
    const Place* next;
    std::int64_t first;  ///< of its interval
  };
  std::vector<Run> runs;
  for (std::size_t r = 0; r < owners.size(); ++r) {
    const auto& [rank, interval] = owners[r];
    runs.push_back(
        {reinterpret_cast<const Place*>(context.block(step.runs.run.places, rank)) + range.first[r],
         interval.first});
    if (rank != context.rank())
      context.counters().bytes_shared +=
          static_cast<std::uint64_t>(range.last[r] - range.first[r]) * sizeof(Place);
  }
  with_number(context.info(step.order).dtype, [&]<class Number>() {
    const auto* order = reinterpret_cast<const Number*>(context.own_block(step.order));
    for (std::int64_t n = 0; n < mine.size(); ++n) {
      auto& run = runs[order[n]];
      out[n] = run.first + static_cast<std::int64_t>(*run.next++);
    }
  });
}

}  // namespace

void run(const StepContext& context, const plan::MergeRuns& step) {
  const bool takes_part = step.runs.layout.takes_part(context.rank());
  const auto mine = takes_part ? step.runs.layout.box(context.rank())[0] : distribution::Interval{};
  if (mine.size() == 0 && !context.ghost_exchange()) return;
  with_coder(step.runs.dtype, [&]<class Coder>() { merge<Coder>(context, step, mine); });
}

void run(const StepContext& context, const plan::CollectPlaces& step) {
  const bool takes_part = step.runs.layout.takes_part(context.rank());
  const auto mine = takes_part ? step.runs.layout.box(context.rank())[0] : distribution::Interval{};
  if (mine.size() == 0 && !context.ghost_exchange()) return;
  if (has_short_places(context, step.runs.run))
    collect<std::uint32_t>(context, step, mine);
  else
    collect<std::int64_t>(context, step, mine);
}

}  // namespace gamelan::engine::steps
