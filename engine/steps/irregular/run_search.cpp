// SPDX-License-Identifier: BSD-3-Clause
// searchsorted: where values would be inserted into a sorted row. Every rank has a copy of the row, as keys
// that sort as NumPy sorts, and searches for the values of its own block of the result. The kernel limits the
// length of the row.
#include <algorithm>
#include <vector>

#include "engine/steps/irregular/sort_keys.hpp"
#include "engine/steps/irregular/stream.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

/// How many keys of the sorted row come before `key`. The loop has no branch, because the processor cannot
/// predict the outcome.
template <class Key, class IsBefore>
std::int64_t count_before(const Key* first, std::int64_t length, const Key& key, IsBefore is_before) {
  const Key* at = first;
  while (length > 1) {
    const auto half = length / 2;
    at += is_before(at[half - 1], key) ? half : 0;
    length -= half;
  }
  return (at - first) + (length == 1 && is_before(*at, key));
}

template <class Coder>
void search(const StepContext& context, const plan::Search& search, const distribution::Interval& mine) {
  using Key = typename Coder::Key;
  using Element = typename Coder::Element;
  const auto length = search.table.placement.iterations.axes[0].extent;
  std::vector<Key> table;
  table.reserve(static_cast<std::size_t>(length));
  Stream sorted(context, search.table, search.table_dtype, search.loop);
  for (std::int64_t at = 0; at < length; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, length - at);
    const auto* element = sorted.read_as<Element>(at, some);
    for (std::int64_t i = 0; i < some; ++i) table.push_back(Coder::encode(element[i], true));
  }
  Stream values(context, search.values, search.values_dtype, search.loop);
  auto* out = reinterpret_cast<std::int64_t*>(context.own_block(search.out));
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, mine.last - at);
    const auto* element = values.read_as<Element>(at, some);
    for (std::int64_t i = 0; i < some; ++i) {
      const auto key = Coder::encode(element[i], true);
      *out++ =
          search.goes_after_equal
              ? count_before(table.data(), length, key, [](const Key& x, const Key& y) { return !(y < x); })
              : count_before(table.data(), length, key, [](const Key& x, const Key& y) { return x < y; });
    }
  }
}

}  // namespace

void run(const StepContext& context, const plan::Search& step) {
  const auto& layout = context.info(step.out).layout;
  if (!layout.takes_part(context.rank())) return;
  const auto mine = layout.box(context.rank())[0];
  if (mine.size() == 0) return;
  sorting::with_coder(step.loop, [&]<class Coder>() { search<Coder>(context, step, mine); });
}

}  // namespace gamelan::engine::steps
