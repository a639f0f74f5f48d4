// SPDX-License-Identifier: BSD-3-Clause
// sort and argsort, the part that a rank does alone: the lines of a block that lie with it as a whole, or its
// interval of a row, which run_merge.cpp then merges.
#include "engine/steps/box_copies.hpp"
#include "engine/steps/irregular/part_places.hpp"
#include "engine/steps/irregular/run_items.hpp"
#include "engine/steps/irregular/run_sorter.hpp"
#include "engine/steps/irregular/select_keys.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using namespace sorting;
using protocol::Shape;

static_assert(plan::RunMemory::spare_bytes_of_place == spare_bytes_of_a_key<std::uint64_t, std::int64_t>);

/// Runs `visit` with the coder of the dtype and the type of places beside the keys.
template <class Visit>
void with_run(const StepContext& context, protocol::Dtype dtype, const plan::RunMemory& run, Visit visit) {
  with_coder(dtype, [&]<class Coder>() {
    if (run.places < 0)
      visit.template operator()<Coder, NoPlace>();
    else if (has_short_places(context, run))
      visit.template operator()<Coder, std::uint32_t>();
    else
      visit.template operator()<Coder, std::int64_t>();
  });
}

template <class Place>
Place* places_of(const StepContext& context, const plan::RunMemory& run) {
  return run.places < 0 ? nullptr : reinterpret_cast<Place*>(context.own_block(run.places));
}

template <class Coder, class Place>
void sort_row(const StepContext& context, const plan::SortRuns& sort, const distribution::Interval& mine) {
  using Sorter = RunSorter<typename Coder::Key, Place>;
  using Item = typename Sorter::Item;
  static_assert(Sorter::chunk <= Stream::chunk);
  Stream elements(context, sort.input, sort.dtype, sort.dtype);
  const auto read = [&](std::int64_t first, std::int64_t count, Item* keys) {
    const auto* element = elements.read_as<typename Coder::Element>(mine.first + first, count);
    for (std::int64_t i = 0; i < count; ++i) keys[i] = {Coder::encode(element[i], Sorter::has_places)};
  };
  const Between between = [&context] { context.progress(); };
  Item* keys = items_of<typename Coder::Key>(context, sort.run, context.rank());
  Sorter(context.own_block(sort.run.spare), sort.run.room, between)
      .sort(mine.size(), read, keys, places_of<Place>(context, sort.run));
  if (!sort.is_result) return;
  auto* result = reinterpret_cast<typename Coder::Element*>(keys);
  for (std::int64_t i = 0; i < mine.size(); ++i) result[i] = Coder::decode(keys[i].key);
}

template <class Coder, class Place>
void sort_lines(const StepContext& context, const plan::SortLines& sort, const distribution::Box& mine) {
  using Element = typename Coder::Element;
  using Sorter = RunSorter<typename Coder::Key, Place>;
  using Item = typename Sorter::Item;
  const Shape extents = distribution::extents_of(mine);
  std::byte* block = context.own_block(sort.values);
  copy_operand(context, sort.input, sort.dtype, sort.dtype, mine, block,
               protocol::contiguous_strides(extents, sizeof(Element)));
  const auto length = extents[sort.axis];
  std::int64_t before = 1, inner = 1;
  for (std::size_t k = 0; k < sort.axis; ++k) before *= extents[k];
  for (std::size_t k = sort.axis + 1; k < extents.size(); ++k) inner *= extents[k];
  const auto* elements = reinterpret_cast<const Element*>(block);
  std::int64_t first = 0;  // of the line
  const typename Sorter::Read read = [&](std::int64_t from, std::int64_t count, Item* to) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = {Coder::encode(elements[first + (from + i) * inner], Sorter::has_places)};
  };
  const Between between = [&context] { context.progress(); };
  Sorter sorter(context.own_block(sort.line.spare), sort.line.room, between);
  const KeySelector<typename Coder::Key> selector(between);
  Item* keys = items_of<typename Coder::Key>(context, sort.line, context.rank());
  Place* places = places_of<Place>(context, sort.line);
  std::vector<typename Coder::Key> pivots;  // of the present line
  std::int64_t sorted = 0;                  // since messages were looked after
  for (std::int64_t line = 0; line < before; ++line)
    for (std::int64_t column = 0; column < inner; ++column) {
      if ((sorted += length) > Stream::chunk) {
        context.progress();
        sorted = 0;
      }
      first = line * length * inner + column;
      if (sort.places.empty()) {
        sorter.sort(length, read, keys, places);
      } else {
        sorter.read_all(length, read, keys);
        selector.select(keys, length, sort.places);
      }
      if constexpr (Sorter::has_places) {
        auto* out = reinterpret_cast<std::int64_t*>(context.own_block(sort.out)) + first;
        if (sort.places.empty()) {
          for (std::int64_t i = 0; i < length; ++i) out[i * inner] = static_cast<std::int64_t>(places[i]);
          continue;
        }
        pivots.clear();
        for (const auto place : sort.places) pivots.push_back(keys[place].key);
        part_places<typename Coder::Key>(
            pivots, [&](auto visit) { Sorter::for_each_key(length, read, visit); },
            [&](std::int64_t to, std::int64_t from) { out[to * inner] = from; });
      } else {
        auto* out = reinterpret_cast<Element*>(context.own_block(sort.out)) + first;
        for (std::int64_t i = 0; i < length; ++i) out[i * inner] = Coder::decode(keys[i].key);
      }
    }
}

}  // namespace

void run(const StepContext& context, const plan::SortLines& sort) {
  const auto& layout = context.info(sort.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank());
  if (is_empty(mine)) return;
  with_run(context, sort.dtype, sort.line,
           [&]<class Coder, class Place>() { sort_lines<Coder, Place>(context, sort, mine); });
}

void run(const StepContext& context, const plan::SortRuns& sort) {
  if (!sort.layout.takes_part(context.rank())) return;
  const auto mine = sort.layout.box(context.rank())[0];
  if (mine.size() == 0) return;
  with_run(context, sort.dtype, sort.run,
           [&]<class Coder, class Place>() { sort_row<Coder, Place>(context, sort, mine); });
}

}  // namespace gamelan::engine::steps
