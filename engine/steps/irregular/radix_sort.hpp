// SPDX-License-Identifier: BSD-3-Clause
// A stable sort of one run by unsigned keys, in passes that stay in a cache. A long run is dealt into buckets
// by leading bits (after Knuth, volume 3, 5.2.5). A bucket is sorted by radix, least significant digit first,
// on as many bits as distinguish its keys. The few items that are then still in the wrong order are moved by
// insertion. Bits are those of the distance to the least key, found anew for every bucket, so keys in a
// narrow or skewed range cost no more. There are no samples, and no slow inputs.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps::sorting {

/// A function that a long sort calls now and then, so that messages can move meanwhile. May be empty.
using Between = std::function<void()>;

/// Sorts items by the bits of their keys from `low` on; items with equal bits keep their order. Items need a
/// member `key`.
template <class Item>
class RadixSort {
 public:
  using Key = typename Item::Key;
  static constexpr std::int64_t cached_items = 8192;  ///< a bucket and its copy fit the second-level cache
  static constexpr std::int64_t few_items = 24;       ///< sorted by insertion

  /// Among items whose bits from `low` on are equal, the bits below must be in rising order.
  explicit RadixSort(int low = 0, const Between& between = none()) : low_(low), between_(between) {}

  /// Sorts `items`; `spare` has room for as many. Returns the one of the two that holds the result.
  Item* sort(Item* items, Item* spare, std::int64_t count) const {
    if (count <= few_items) return insert(items, count), items;
    const auto [least, bits] = range(items, count);
    if (bits == 0) return items;
    if (count >= cached_items) {
      deal(items, count, least, bits, spare, [&](std::int64_t first, std::int64_t size) {
        sort_to(spare + first, items + first, size, items + first);
        if (between_) between_();
      });
      return items;
    }
    return sort_cached(items, spare, count, least, bits);
  }

  /// As sort, with the result in `to`, which is `items` or `spare`.
  void sort_to(Item* items, Item* spare, std::int64_t count, Item* to) const {
    const Item* sorted = sort(items, spare, count);
    if (sorted != to) std::copy_n(sorted, count, to);
  }

  struct Range {
    std::uint64_t least;
    int bits;  ///< of the distance from the least to the greatest
  };
  Range range(const Item* items, std::int64_t count) const {
    Key least = items[0].key, most = least;
    for (std::int64_t i = 1; i < count; ++i) {
      least = std::min(least, items[i].key);
      most = std::max(most, items[i].key);
    }
    const auto first = static_cast<std::uint64_t>(least) >> low_;
    return {first, width((static_cast<std::uint64_t>(most) >> low_) - first)};
  }

 private:
  static constexpr int most_deal_bits = 10, digit_bits = 8;
  static constexpr std::int64_t wanted_bucket_items = 4096;

  std::uint64_t number(const Item& item) const { return static_cast<std::uint64_t>(item.key) >> low_; }

  /// Deals items into `buckets` by the leading ones of `bits`. Then calls visit(first, size) for each bucket
  /// that is not empty; its items lie in `buckets` from `first` on.
  template <class Visit>
  void deal(const Item* items, std::int64_t count, std::uint64_t least, int bits, Item* buckets,
            Visit visit) const {
    const int used =
        std::min({bits, most_deal_bits, width(static_cast<std::uint64_t>(count / wanted_bucket_items))});
    const int shift = bits - used;
    std::array<std::int64_t, (std::size_t{1} << most_deal_bits) + 1>
        ends{};  // of bucket b at b + 1, and its begin at b
    for (std::int64_t i = 0; i < count; ++i) ++ends[((number(items[i]) - least) >> shift) + 1];
    for (std::size_t b = 0; b < std::size_t{1} << used; ++b) ends[b + 1] += ends[b];
    for (std::int64_t i = 0; i < count; ++i) buckets[ends[(number(items[i]) - least) >> shift]++] = items[i];
    std::int64_t first = 0;
    for (std::size_t b = 0; b < std::size_t{1} << used; ++b) {
      if (ends[b] > first) visit(first, ends[b] - first);
      first = ends[b];
    }
  }

  static void insert(Item* items, std::int64_t count) {
    for (std::int64_t i = 1; i < count; ++i) {
      const Item each = items[i];
      std::int64_t at = i;
      for (; at > 0 && each.key < items[at - 1].key; --at) items[at] = items[at - 1];
      items[at] = each;
    }
  }

  Item* sort_cached(Item* items, Item* spare, std::int64_t count, std::uint64_t least, int bits) const {
    constexpr int to_tell_apart =
        3;  // bits beyond those that number the items: then few neighbours have equal digits
    constexpr int most_passes = (width(cached_items - 1) + to_tell_apart + digit_bits - 1) / digit_bits;
    constexpr std::uint32_t mask = (1U << digit_bits) - 1;
    const int wanted = std::min(bits, width(static_cast<std::uint64_t>(count)) + to_tell_apart);
    const int passes = (wanted + digit_bits - 1) / digit_bits;
    const int rest = std::max(0, bits - passes * digit_bits);
    std::array<std::array<std::uint32_t, mask + 1>, most_passes> next{};
    for (std::int64_t i = 0; i < count; ++i) {
      auto digits = (number(items[i]) - least) >> rest;
      for (int p = 0; p < passes; ++p, digits >>= digit_bits)
        ++next[static_cast<std::size_t>(p)][digits & mask];
    }
    for (int p = 0; p < passes; ++p) {
      auto& place = next[static_cast<std::size_t>(p)];
      std::uint32_t first = 0;
      for (auto& each : place) first += std::exchange(each, first);
      const int shift = rest + p * digit_bits;
      for (std::int64_t i = 0; i < count; ++i)
        spare[place[((number(items[i]) - least) >> shift) & mask]++] = items[i];
      std::swap(items, spare);
    }
    if (rest > 0) finish(items, spare, count, least, rest);
    return items;
  }

  /// Sorts items that are in order except for the last `rest` bits.
  void finish(Item* items, Item* spare, std::int64_t count, std::uint64_t least, int rest) const {
    const auto leading = [&](std::int64_t i) { return (number(items[i]) - least) >> rest; };
    for (std::int64_t i = 1; i < count; ++i) {
      if (!(number(items[i]) < number(items[i - 1]))) continue;
      std::int64_t first = i - 1, last = i + 1;
      const auto same = leading(i);
      while (first > 0 && leading(first - 1) == same) --first;
      while (last < count && leading(last) == same) ++last;
      sort_to(items + first, spare + first, last - first, items + first);
      i = last;
    }
  }

  static const Between& none() {
    static const Between nothing;
    return nothing;
  }

  int low_;
  const Between& between_;
};

}  // namespace gamelan::engine::steps::sorting
