// SPDX-License-Identifier: BSD-3-Clause
// Buckets for the keys of a long run, determined before any key is moved (after Knuth, volume 3, 5.2.5): by
// the leading bits of the distance to the least key, which number a slot. A slot with too many keys is
// divided again between its own least and greatest key, until it holds few keys or equal ones: bits that its
// keys have in common cost nothing. Slots are finer than buckets, because floating-point keys crowd below
// their greatest; neighbours with few keys make one bucket. So each key of a run is moved once, in order, and
// no room for a second copy of the run is needed, whatever the data are.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps::sorting {

template <class Key>
class KeyBuckets {
 public:
  /// `for_each_key(visit)` must call visit(key) for all `count` keys, the same ones each time. It is called
  /// twice for each level of buckets. A bucket holds at most `most` keys, or keys that are all
  /// equal.
  template <class ForEachKey>
  KeyBuckets(std::int64_t count, std::int64_t most, ForEachKey for_each_key) {
    Key least = static_cast<Key>(~Key{0}), greatest = 0;
    for_each_key([&](Key key) {
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    });
    add_node(count, least, width(static_cast<std::uint64_t>(greatest) - least));
    std::vector<Crowd> crowds;
    for (std::size_t first = 0; first < numbers_.size();) {
      if (nodes_.size() == 1)
        for_each_key(
            [root = nodes_.front(), counts = numbers_.data()](Key key) { ++counts[slot_of(root, key)]; });
      else
        for_each_key([&, root = nodes_.front(), counts = numbers_.data()](Key key) {
          const auto slot = find(root, key);
          counts[slot] += slot >= first;
        });
      crowds = crowds_of(first, most);
      if (crowds.empty()) break;
      measure(crowds, first, for_each_key);
      first = numbers_.size();
      if (divide(crowds)) break;
    }
    join_slots(std::min(most, wanted_keys));
  }

  /// Calls put(its place, key) for every key.
  template <class ForEachKey, class Put>
  void deal(ForEachKey for_each_key, Put put) {
    const auto deal_by = [&](auto slot_of_key) {
      for_each_key([&, numbers = bucket_of_.data(), buckets = buckets_.data()](Key key) {
        put(buckets[numbers[slot_of_key(key)]].next++, key);
      });
    };
    const auto root = nodes_.front();
    if (nodes_.size() == 1)
      deal_by([root](Key key) { return slot_of(root, key); });
    else
      deal_by([this, root](Key key) { return find(root, key); });
  }

  /// Calls visit(first, size, is_one_key) for each bucket that is not empty, by rising key. To be called
  /// after deal().
  template <class Visit>
  void for_each_dealt(Visit visit) {
    std::int64_t first = 0;
    for (const auto& bucket : buckets_) {
      if (bucket.next > first) visit(first, bucket.next - first, bucket.is_one_key);
      first = bucket.next;
    }
  }

 private:
  // Counts of 12 bits fit the first-level cache. Short keys may be floats, of which half lie in three octaves
  // where numbers are normal: with 14 bits each octave has 32 slots, and few need be divided. Their counts
  // fit the second-level cache, which costs less than a division. (Doubles are divided at any number of
  // bits.)
  static constexpr bool are_short = sizeof(Key) <= 4;
  static constexpr int most_bits = are_short ? 14 : 12;
  static constexpr int finer_bits = are_short ? 7 : 4;  // slots than buckets
  static constexpr std::int64_t wanted_keys = 4096, many_equal_keys = 256;
  static constexpr std::uint32_t none = 0;  // the root is nobody's child

  struct Node {
    Key least;
    int shift;
    std::size_t first, last;  ///< slots
  };
  struct Bucket {
    std::int64_t next = 0;  ///< where its next key goes
    bool is_one_key = false;
  };

  void add_node(std::int64_t count, Key least, int bits) {
    const int used =
        std::min({bits, most_bits, width(static_cast<std::uint64_t>(count / wanted_keys)) + finer_bits});
    nodes_.push_back({least, bits - used, numbers_.size(), numbers_.size() + (std::size_t{1} << used)});
    numbers_.resize(nodes_.back().last, 0);
    children_.resize(nodes_.back().last, none);
  }

  /// A slot with too many keys, and the ends of what it holds.
  struct Crowd {
    std::size_t slot;
    Key least = static_cast<Key>(~Key{0}), greatest = 0;
  };

  std::vector<Crowd> crowds_of(std::size_t first, std::int64_t most) const {
    std::vector<Crowd> crowds;
    for (const auto& node : nodes_)
      for (auto slot = std::max(node.first, first); slot < node.last && node.shift > 0; ++slot)
        if (numbers_[slot] > most) crowds.push_back({slot});
    return crowds;
  }

  template <class ForEachKey>
  void measure(std::vector<Crowd>& crowds, std::size_t first, ForEachKey for_each_key) const {
    constexpr auto nobody = ~std::uint32_t{0};
    std::vector<std::uint32_t> crowd_of(numbers_.size() - first, nobody);
    for (std::size_t c = 0; c < crowds.size(); ++c)
      crowd_of[crowds[c].slot - first] = static_cast<std::uint32_t>(c);
    for_each_key([&, root = nodes_.front()](Key key) {
      const auto slot = find(root, key);
      if (slot < first) return;
      const auto number = crowd_of[slot - first];
      if (number == nobody) return;
      auto& crowd = crowds[number];
      crowd.least = std::min(crowd.least, key);
      crowd.greatest = std::max(crowd.greatest, key);
    });
  }

  /// Gives each crowd slots of its own. True when no keys need be counted, because each crowd is one key.
  bool divide(const std::vector<Crowd>& crowds) {
    const bool are_equal_keys = std::all_of(crowds.begin(), crowds.end(),
                                            [](const Crowd& crowd) { return crowd.least == crowd.greatest; });
    for (const auto& crowd : crowds) {
      const auto count = numbers_[crowd.slot];
      children_[crowd.slot] = static_cast<std::uint32_t>(nodes_.size());
      add_node(count, crowd.least, width(static_cast<std::uint64_t>(crowd.greatest) - crowd.least));
      if (are_equal_keys) numbers_.back() = count;
    }
    return are_equal_keys;
  }

  /// Makes buckets of the slots: neighbours together as long as they hold at most `wanted` keys. Many equal
  /// keys, which need not be sorted, stay by themselves.
  void join_slots(std::int64_t wanted) {
    bucket_of_.resize(numbers_.size());
    std::int64_t begin = 0, size = wanted;
    bool is_closed = true;
    for_each([&](std::size_t slot, bool is_one_key) {
      const auto count = numbers_[slot];
      const bool is_apart = is_one_key && count >= many_equal_keys;
      if (is_closed || is_apart || size + count > wanted) {
        buckets_.push_back({begin, is_one_key});
        size = 0;
      } else if (count > 0) {
        buckets_.back().is_one_key = false;
      }
      bucket_of_[slot] = static_cast<std::uint32_t>(buckets_.size() - 1);
      is_closed = is_apart;
      begin += count;
      size += count;
    });
  }

  static std::size_t slot_of(const Node& node, Key key) {
    return node.first + static_cast<std::size_t>(
                            static_cast<std::uint64_t>(static_cast<Key>(key - node.least)) >> node.shift);
  }
  std::size_t find(const Node& root, Key key) const {
    auto slot = slot_of(root, key);
    while (children_[slot] != none) slot = slot_of(nodes_[children_[slot]], key);
    return slot;
  }

  template <class Visit>
  void for_each(Visit&& visit, std::uint32_t node = 0) {
    for (auto slot = nodes_[node].first; slot < nodes_[node].last; ++slot) {
      if (children_[slot] != none)
        for_each(visit, children_[slot]);
      else
        visit(slot, nodes_[node].shift == 0);
    }
  }

  std::vector<Node> nodes_;
  std::vector<std::int64_t> numbers_;     // per slot: keys
  std::vector<std::uint32_t> children_;   // per slot: the node that its keys have, if any
  std::vector<std::uint32_t> bucket_of_;  // per slot
  std::vector<Bucket> buckets_;           // by rising key
};

}  // namespace gamelan::engine::steps::sorting
