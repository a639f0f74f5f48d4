// SPDX-License-Identifier: BSD-3-Clause
// A stable sort of one run: keys are read from wherever they lie into memory of its own, together with the
// places they came from. A long run is dealt into buckets (key_buckets.hpp) while it is read. A bucket is
// sorted in a small spare memory, with key and place in one word where they fit. A row that is in order is
// found so. There are no samples, and no slow inputs.
#pragma once
#include <memory>
#include <numeric>

#include "engine/steps/irregular/key_buckets.hpp"
#include "engine/steps/irregular/radix_sort.hpp"
#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps::sorting {

/// A key and a place in one word.
struct Word {
  using Key = std::uint64_t;
  Key key;
};

/// Stands for the places in a sort without places.
struct NoPlace {};

/// Bytes of spare memory for each key that is sorted there.
template <class Key, class Place>
constexpr std::int64_t spare_bytes_of_a_key = std::is_same_v<Place, NoPlace> ? sizeof(Key)
                                                                             : 2 * sizeof(KeyAndPlace<Key>);

template <class K, class Place>
class RunSorter {
 public:
  using Item = KeyOnly<K>;
  static constexpr bool has_places = !std::is_same_v<Place, NoPlace>;
  static constexpr std::int64_t chunk = 1024;  ///< beside the counts of the buckets in the first-level cache
  /// Writes keys [first, first + count), count <= chunk, to `keys`.
  using Read = std::function<void(std::int64_t first, std::int64_t count, Item* keys)>;

  /// `spare` has memory for `room` keys with their places, spare_bytes_of_a_key each. `between` is called now
  /// and then.
  RunSorter(std::byte* spare, std::int64_t room, const Between& between)
      : spare_(spare), room_(room), between_(between) {}

  /// Sorts `count` keys into `keys`, and writes to `places` where each came from, counted from 0.
  void sort(std::int64_t count, const Read& read, Item* keys, Place* places) {
    if constexpr (std::is_integral_v<K>) {
      if (count > room_ && !is_in_order(count, read)) return deal(count, read, keys, places);
      read_all(count, read, keys);
      if (count <= room_) return sort_few(keys, places, count);
      if constexpr (has_places) std::iota(places, places + count, Place{0});
    } else {
      read_all(count, read, keys);
      sort_compared(keys, places, count);
    }
  }

  /// Reads `count` keys into `keys`.
  static void read_all(std::int64_t count, const Read& read, Item* keys) {
    for (std::int64_t first = 0; first < count; first += chunk)
      read(first, std::min(chunk, count - first), keys + first);
  }

  /// Calls visit(key) for each of `count` keys, in their order.
  template <class Visit>
  static void for_each_key(std::int64_t count, const Read& read, Visit visit) {
    const auto buffer = std::make_unique<Item[]>(chunk);
    for (std::int64_t first = 0; first < count; first += chunk) {
      const auto size = std::min(chunk, count - first);
      read(first, size, buffer.get());
      for (std::int64_t i = 0; i < size; ++i) visit(buffer[static_cast<std::size_t>(i)].key);
    }
  }

  /// Sorts keys in place, at most as many as the spare memory has room for.
  void sort_few(Item* keys, Place* places, std::int64_t count) {
    if constexpr (has_places) std::iota(places, places + count, Place{0});
    if constexpr (std::is_integral_v<K>)
      sort_bucket(keys, places, count);
    else
      sort_compared(keys, places, count);
  }

 private:
  /// True when no key is less than the one before. Looks no further than to the first that is, so in other
  /// rows it costs nothing.
  static bool is_in_order(std::int64_t count, const Read& read) {
    const auto buffer = std::make_unique<Item[]>(chunk);
    K greatest = 0;
    for (std::int64_t first = 0; first < count; first += chunk) {
      const auto size = std::min(chunk, count - first);
      read(first, size, buffer.get());
      for (std::int64_t i = 0; i < size; ++i) {
        const K key = buffer[static_cast<std::size_t>(i)].key;
        if (key < greatest) return false;
        greatest = key;
      }
    }
    return true;
  }

  static Place* at(Place* places, std::int64_t offset) { return has_places ? places + offset : places; }

  void deal(std::int64_t count, const Read& read, Item* keys, Place* places) {
    const auto each = [&](auto visit) { for_each_key(count, read, visit); };
    KeyBuckets<K> buckets(count, room_, each);
    Place place{};
    buckets.deal(each, [&](std::int64_t to, K key) {
      keys[to].key = key;
      if constexpr (has_places) places[to] = place++;
    });
    buckets.for_each_dealt([&](std::int64_t first, std::int64_t size, bool is_one_key) {
      if (!is_one_key) sort_bucket(keys + first, at(places, first), size);
      if (between_) between_();
    });
  }

  void sort_bucket(Item* keys, Place* places, std::int64_t count) {
    if constexpr (has_places)
      sort_with_places(keys, places, count);
    else
      RadixSort<Item>(0, between_).sort_to(keys, reinterpret_cast<Item*>(spare_), count, keys);
  }

  void sort_with_places(Item* keys, Place* places, std::int64_t count) {
    if (count <= RadixSort<Item>::few_items) return insert(keys, places, count);
    const auto [least, bits] = RadixSort<Item>().range(keys, count);
    const int number_bits = width(static_cast<std::uint64_t>(count - 1));
    if (bits == 0) return;
    if (bits + number_bits <= 64) {
      auto* words = reinterpret_cast<Word*>(spare_);
      auto* came = reinterpret_cast<Place*>(words + 2 * count);
      std::copy_n(places, count, came);
      for (std::int64_t i = 0; i < count; ++i)
        words[i] = {(static_cast<std::uint64_t>(keys[i].key) - least) << number_bits |
                    static_cast<std::uint64_t>(i)};
      const Word* sorted = RadixSort<Word>(number_bits, between_).sort(words, words + count, count);
      const auto numbers = (std::uint64_t{1} << number_bits) - 1;
      for (std::int64_t i = 0; i < count; ++i) {
        keys[i].key = static_cast<K>((sorted[i].key >> number_bits) + least);
        places[i] = came[sorted[i].key & numbers];
      }
      return;
    }
    auto* items = reinterpret_cast<KeyAndPlace<K>*>(spare_);
    for (std::int64_t i = 0; i < count; ++i) items[i] = {keys[i].key, static_cast<std::int64_t>(places[i])};
    const auto* sorted = RadixSort<KeyAndPlace<K>>(0, between_).sort(items, items + count, count);
    for (std::int64_t i = 0; i < count; ++i) {
      keys[i].key = sorted[i].key;
      places[i] = static_cast<Place>(sorted[i].place);
    }
  }

  static void insert(Item* keys, Place* places, std::int64_t count) {
    for (std::int64_t i = 1; i < count; ++i) {
      const auto key = keys[i].key;
      const auto place = places[i];
      std::int64_t to = i;
      for (; to > 0 && key < keys[to - 1].key; --to) {
        keys[to] = keys[to - 1];
        places[to] = places[to - 1];
      }
      keys[to].key = key;
      places[to] = place;
    }
  }

  /// Sorts by comparison: for keys that are not integers (complex numbers).
  void sort_compared(Item* keys, Place* places, std::int64_t count) {
    constexpr std::uint32_t many = 1U << 16;
    std::uint32_t compared = 0;
    const auto look_around = [&] {
      if (++compared % many == 0 && between_) between_();
    };
    if constexpr (!has_places) {
      std::stable_sort(keys, keys + count, [&](const Item& a, const Item& b) {
        look_around();
        return a.key < b.key;
      });
    } else {
      std::iota(places, places + count, Place{0});
      std::sort(places, places + count, [&](Place a, Place b) {
        look_around();
        return keys[a].key < keys[b].key || (a < b && !(keys[b].key < keys[a].key));
      });
      std::vector<bool> is_moved(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) {  // cycle by cycle
        const Item kept = keys[i];
        auto to = i;
        for (; !is_moved[static_cast<std::size_t>(to)]; to = static_cast<std::int64_t>(places[to])) {
          is_moved[static_cast<std::size_t>(to)] = true;
          const auto from = static_cast<std::int64_t>(places[to]);
          keys[to] = from == i ? kept : keys[from];
        }
      }
    }
  }

  std::byte* spare_;
  std::int64_t room_;
  const Between& between_;
};

}  // namespace gamelan::engine::steps::sorting
