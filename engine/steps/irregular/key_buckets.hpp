// SPDX-License-Identifier: BSD-3-Clause
// Buckets for the keys of a long run, determined before any key is moved (after Knuth, volume 3, 5.2.5): by
// the leading bits of the distance to the least key. Where too many keys have these bits in common, also by
// the bits that follow, until a bucket holds few keys or equal ones. So each key of a run is moved once, in
// order, and no room for a second copy of the run is needed, whatever the data are.
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
  /// once, and once more for each level of buckets. A bucket holds at most `most` keys, or keys that are all
  /// equal.
  template <class ForEachKey>
  KeyBuckets(std::int64_t count, std::int64_t most, ForEachKey for_each_key) {
    Key least = static_cast<Key>(~Key{0}), greatest = 0;
    for_each_key([&](Key key) {
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    });
    add_node(count, least, width(static_cast<std::uint64_t>(greatest) - least));
    for (std::size_t counted = 0; counted < numbers_.size();) {
      const auto first = counted;
      counted = numbers_.size();
      for_each_key([&, root = nodes_.front(), counts = numbers_.data()](Key key) {
        const auto slot = find(root, key);
        counts[slot] += slot >= first;
      });
      const auto nodes = nodes_.size();
      for (std::size_t n = 0; n < nodes; ++n) refine(nodes_[n], first, most);
    }
    std::int64_t begin = 0;
    for_each([&](std::size_t slot, bool) { begin += std::exchange(numbers_[slot], begin); });
  }

  /// Calls put(its place, key) for every key.
  template <class ForEachKey, class Put>
  void deal(ForEachKey for_each_key, Put put) {
    for_each_key(
        [&, root = nodes_.front(), next = numbers_.data()](Key key) { put(next[find(root, key)]++, key); });
  }

  /// Calls visit(first, size, is_one_key) for each bucket that is not empty, by rising key. To be called
  /// after deal().
  template <class Visit>
  void for_each_dealt(Visit visit) {
    std::int64_t first = 0;
    for_each([&](std::size_t slot, bool is_one_key) {
      const auto last = numbers_[slot];
      if (last > first) visit(first, last - first, is_one_key);
      first = last;
    });
  }

 private:
  static constexpr int most_bits = 10;
  static constexpr std::int64_t wanted_keys = 4096;
  static constexpr std::uint32_t none = 0;  // the root is nobody's child

  struct Node {
    Key least;
    int shift;
    std::size_t first, last;  ///< slots
  };

  void add_node(std::int64_t count, Key least, int bits) {
    const int used =
        std::min(bits, std::clamp(width(static_cast<std::uint64_t>(count / wanted_keys)), 1, most_bits));
    nodes_.push_back({least, bits - used, numbers_.size(), numbers_.size() + (std::size_t{1} << used)});
    numbers_.resize(nodes_.back().last, 0);
    children_.resize(nodes_.back().last, none);
  }

  void refine(const Node node, std::size_t counted_from, std::int64_t most) {
    if (node.first < counted_from || node.shift == 0) return;
    for (auto slot = node.first; slot < node.last; ++slot) {
      if (numbers_[slot] <= most) continue;
      children_[slot] = static_cast<std::uint32_t>(nodes_.size());
      add_node(numbers_[slot],
               static_cast<Key>(node.least + (static_cast<Key>(slot - node.first) << node.shift)),
               node.shift);
    }
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
  std::vector<std::int64_t> numbers_;    // per slot: keys, then where its next one goes
  std::vector<std::uint32_t> children_;  // per slot: the node that its keys have, if any
};

}  // namespace gamelan::engine::steps::sorting
