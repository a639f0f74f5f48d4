// SPDX-License-Identifier: BSD-3-Clause
// searchsorted: where values would be inserted into a sorted row. Every rank has a copy of the row, as keys
// that sort as NumPy sorts, and searches for the values of its own block of the result. The kernel limits the
// length of the row. Where its elements are spread evenly, a table of intervals says where a search ends.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "engine/steps/irregular/halving_search.hpp"
#include "engine/steps/irregular/interval_table.hpp"
#include "engine/steps/irregular/sort_keys.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

/// A coder for numbers that are compared as they are.
template <class Number>
struct NumberItself {
  using Element = Number;
  using Key = Number;
  static Key encode(Number number, bool) { return number; }
};

/// Calls visit(elements, how many, where their results go) for the values of this rank's block of the result.
template <class Element, class Visit>
void for_each_value(const StepContext& context, const plan::Search& search, Visit visit) {
  const auto mine = context.info(search.out).layout.box(context.rank())[0];
  Stream values(context, search.values, search.values_dtype, search.loop);
  auto* out = reinterpret_cast<std::int64_t*>(context.own_block(search.out));
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, mine.last - at);
    visit(values.read_as<Element>(at, some), some, out);
    out += some;
  }
}

template <class Coder>
std::vector<typename Coder::Key> row_of(const StepContext& context, const plan::Search& search) {
  using Element = typename Coder::Element;
  return copy_of_row<Element>(context, search.table, search.table_dtype, search.loop,
                              [](Element element) { return Coder::encode(element, true); });
}

/// Calls find(keys, how many, where their results go) for all values of this rank.
template <class Coder, class Find>
void search_with(const StepContext& context, const plan::Search& search, Find find) {
  using Element = typename Coder::Element;
  if constexpr (std::is_same_v<Coder, NumberItself<Element>>) {
    for_each_value<Element>(context, search, find);
  } else {
    std::vector<typename Coder::Key> keys(static_cast<std::size_t>(Stream::chunk));
    for_each_value<Element>(context, search,
                            [&](const Element* element, std::int64_t count, std::int64_t* out) {
                              for (std::int64_t i = 0; i < count; ++i)
                                keys[static_cast<std::size_t>(i)] = Coder::encode(element[i], true);
                              find(keys.data(), count, out);
                            });
  }
}

/// By a table of intervals; false where it is not worth it. That depends on the row and the number of values
/// alone, so a row that is not sorted has the same results at any number of ranks.
template <class Coder>
bool search_intervals(const StepContext& context, const plan::Search& search) {
  using Key = typename Coder::Key;
  const auto length = search.table.placement.iterations.axes[0].extent;
  if (length == 0 || length > longest_with_intervals ||
      context.info(search.out).layout.axes[0].extent < values_per_interval * length)
    return false;
  const IntervalTable<Key> table(row_of<Coder>(context, search));
  if (!table.is_worth_it()) return false;
  search_with<Coder>(context, search, [&](const Key* keys, std::int64_t count, std::int64_t* out) {
    table.search(keys, count, search.goes_after_equal, out);
  });
  return true;
}

template <class Coder>
void search(const StepContext& context, const plan::Search& search) {
  using Key = typename Coder::Key;
  if constexpr (std::is_integral_v<Key>)
    if (search_intervals<Coder>(context, search)) return;
  const auto table = row_of<Coder>(context, search);
  search_with<Coder>(context, search, [&](const Key* keys, std::int64_t count, std::int64_t* out) {
    search_all(table, keys, count, search.goes_after_equal, out);
  });
}

}  // namespace

void run(const StepContext& context, const plan::Search& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  if (layout.box(context.rank())[0].size() == 0) return;
  if (step.loop == protocol::Dtype::float64 && search_intervals<NumberItself<double>>(context, step)) return;
  if (step.loop == protocol::Dtype::float32 && search_intervals<NumberItself<float>>(context, step)) return;
  sorting::with_coder(step.loop, [&]<class Coder>() { search<Coder>(context, step); });
}

}  // namespace gamelan::engine::steps
