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

constexpr std::size_t abreast = 16;  // searches that take turns: each waits for the key that it compares

/// How many keys of the sorted row come before each of some keys. All searches halve the same lengths. There
/// is no branch, because the processor cannot predict the outcome; a choice written with ?: becomes one.
template <class Key, class IsBefore>
void count_before(const Key* first, std::int64_t length, const Key* keys, std::size_t count,
                  std::int64_t* out, IsBefore is_before) {
  const Key* at[abreast];
  std::fill_n(at, abreast, first);
  while (length > 1) {
    const auto half = length / 2;
    for (std::size_t k = 0; k < count; ++k)
      at[k] += half & -static_cast<std::int64_t>(is_before(at[k][half - 1], keys[k]));
    length -= half;
  }
  for (std::size_t k = 0; k < count; ++k)
    out[k] = (at[k] - first) + (length == 1 && is_before(*at[k], keys[k]));
}

template <class Key>
void search_all(const std::vector<Key>& table, const Key* keys, std::int64_t count, bool goes_after_equal,
                std::int64_t* out) {
  const auto length = static_cast<std::int64_t>(table.size());
  const auto search_some = [&](auto is_before) {
    std::int64_t i = 0;
    for (; i + static_cast<std::int64_t>(abreast) <= count; i += abreast)
      count_before(table.data(), length, keys + i, abreast, out + i, is_before);
    count_before(table.data(), length, keys + i, static_cast<std::size_t>(count - i), out + i, is_before);
  };
  if (goes_after_equal)
    search_some([](const Key& x, const Key& y) { return !(y < x); });
  else
    search_some([](const Key& x, const Key& y) { return x < y; });
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
  std::vector<Key> keys(static_cast<std::size_t>(Stream::chunk));
  for (auto at = mine.first; at < mine.last; at += Stream::chunk) {
    const auto some = std::min(Stream::chunk, mine.last - at);
    const auto* element = values.read_as<Element>(at, some);
    for (std::int64_t i = 0; i < some; ++i)
      keys[static_cast<std::size_t>(i)] = Coder::encode(element[i], true);
    search_all(table, keys.data(), some, search.goes_after_equal, out);
    out += some;
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
