// SPDX-License-Identifier: BSD-3-Clause
// Selection within a run of keys: some places get the keys that sorting would put there. Hoare's quickselect
// (1961) with a pivot from a sample near the place that is wanted, as Floyd and Rivest chose it (1975), and a
// partition without branches, which random keys would mispredict (Lomuto's, see Alexandrescu 2020). A sample
// that misleads too often ends in std::nth_element, so there are no slow inputs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/steps/irregular/radix_sort.hpp"
#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps::sorting {

template <class K>
class KeySelector {
 public:
  using Item = KeyOnly<K>;

  /// `between` is called now and then.
  explicit KeySelector(const Between& between) : between_(between) {}

  /// Moves the keys [0, count) so that each of `places`, which rise, has the key that sorting would put
  /// there. No key before it is greater and none behind it is less.
  void select(Item* keys, std::int64_t count, std::span<const std::int64_t> places) const {
    among(keys, 0, count, places);
  }

 private:
  static constexpr std::int64_t few = 32, sample = 31, long_enough = 600;

  static bool is_less(const Item& a, const Item& b) { return a.key < b.key; }

  /// The place in the middle first: it parts the keys for those before and behind.
  void among(Item* keys, std::int64_t first, std::int64_t last, std::span<const std::int64_t> places) const {
    if (places.empty() || last - first < 2) return;
    const auto middle = places.size() / 2;
    one(keys, first, last, places[middle]);
    among(keys, first, places[middle], places.first(middle));
    among(keys, places[middle] + 1, last, places.subspan(middle + 1));
  }

  void one(Item* keys, std::int64_t first, std::int64_t last, std::int64_t place) const {
    if (place == first)
      return std::iter_swap(keys + place, std::min_element(keys + first, keys + last, is_less));
    if (place == last - 1)
      return std::iter_swap(keys + place, std::max_element(keys + first, keys + last, is_less));
    if constexpr (std::is_integral_v<K>) {
      for (int rounds = 2 * width(static_cast<std::uint64_t>(last - first)); rounds > 0 && last - first > few;
           --rounds) {
        const K pivot = pivot_near(keys, first, last, place);
        const auto not_less = part(keys, first, last, [pivot](K key) { return key < pivot; });
        if (between_) between_();
        if (place < not_less) {
          last = not_less;
          continue;
        }
        const auto greater = part(keys, not_less, last, [pivot](K key) { return key == pivot; });
        if (place < greater) return;
        first = greater;
      }
    }
    std::nth_element(keys + first, keys + place, keys + last, is_less);
  }

  /// Of some keys, at equal distances, the one whose place among them is as far along.
  static K pivot_near(const Item* keys, std::int64_t first, std::int64_t last, std::int64_t place) {
    const auto size = last - first, asked = size < long_enough ? std::int64_t{9} : sample;
    K found[sample];
    for (std::int64_t i = 0; i < asked; ++i) found[i] = keys[first + i * (size - 1) / (asked - 1)].key;
    std::sort(found, found + asked);
    return found[(place - first) * (asked - 1) / (size - 1)];
  }

  /// Moves the keys that `goes_first` chooses to the front, and returns where they end.
  template <class GoesFirst>
  static std::int64_t part(Item* keys, std::int64_t first, std::int64_t last, GoesFirst goes_first) {
    for (std::int64_t i = first; i < last; ++i) {
      const Item item = keys[i];
      keys[i] = keys[first];
      keys[first] = item;
      first += goes_first(item.key);
    }
    return first;
  }

  const Between& between_;
};

}  // namespace gamelan::engine::steps::sorting
