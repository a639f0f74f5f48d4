// SPDX-License-Identifier: BSD-3-Clause
// Buckets for the keys of a long run, known before a key is moved (after Knuth, volume 3, 5.2.5): by the leading bits of
// the distance to the least key, and where too many keys share these, by the bits that follow, until a bucket holds few
// keys or equal ones. So a run is dealt once, in order, and needs no room for a second copy of it, whatever the data are.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/exec/sort_keys.hpp"

namespace gamelan::engine::exec::sorting {

template <class Key>
class KeyBuckets {
 public:
  /// `for_each_key(visit)` calls visit(key) for all `count` keys, the same ones each time; once for each level of buckets,
  /// and once before. A bucket holds at most `most` keys, or keys that are all equal.
  template <class ForEachKey>
  KeyBuckets(std::int64_t count, std::int64_t most, ForEachKey for_each_key) {
    Key least = static_cast<Key>(~Key{0}), greatest = 0;
    for_each_key([&](Key key) {
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    });
    add_node(count, least, width(static_cast<std::uint64_t>(greatest) - least));
    for (std::size_t counted = 0; counted < slots_.size();) {
      const auto first = counted;
      counted = slots_.size();
      for_each_key([&, root = nodes_.front(), slots = slots_.data()](Key key) {
        const auto slot = find(root, key);
        slots[slot].count += slot >= first;
      });
      const auto nodes = nodes_.size();
      for (std::size_t n = 0; n < nodes; ++n) refine(nodes_[n], first, most);
    }
    std::int64_t begin = 0;
    for_each([&](std::size_t slot, std::int64_t size, bool) {
      slots_[slot].next = begin;
      begin += size;
    });
  }

  /// Calls put(where it goes, key) for every key.
  template <class ForEachKey, class Put>
  void deal(ForEachKey for_each_key, Put put) {
    for_each_key([&, root = nodes_.front(), slots = slots_.data()](Key key) { put(slots[find(root, key)].next++, key); });
  }

  /// Calls visit(first, size, is_one_key) for each bucket that is not empty, by rising key, after all keys were dealt.
  template <class Visit>
  void for_each_dealt(Visit visit) const {
    for_each([&](std::size_t slot, std::int64_t size, bool is_one_key) { visit(slots_[slot].next - size, size, is_one_key); });
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
  struct Slot {
    std::int64_t count = 0, next = 0;
    std::uint32_t child = none;
  };

  void add_node(std::int64_t count, Key least, int bits) {
    const int used = std::min(bits, std::clamp(width(static_cast<std::uint64_t>(count / wanted_keys)), 1, most_bits));
    nodes_.push_back({least, bits - used, slots_.size(), slots_.size() + (std::size_t{1} << used)});
    slots_.resize(nodes_.back().last);
  }

  void refine(const Node node, std::size_t counted_from, std::int64_t most) {
    if (node.first < counted_from || node.shift == 0) return;
    for (auto slot = node.first; slot < node.last; ++slot) {
      if (slots_[slot].count <= most) continue;
      slots_[slot].child = static_cast<std::uint32_t>(nodes_.size());
      add_node(slots_[slot].count, static_cast<Key>(node.least + (static_cast<Key>(slot - node.first) << node.shift)), node.shift);
    }
  }

  static std::size_t slot_of(const Node& node, Key key) {
    return node.first + static_cast<std::size_t>(static_cast<std::uint64_t>(static_cast<Key>(key - node.least)) >> node.shift);
  }
  std::size_t find(const Node& root, Key key) const {
    auto slot = slot_of(root, key);
    while (slots_[slot].child != none) slot = slot_of(nodes_[slots_[slot].child], key);
    return slot;
  }

  template <class Visit>
  void for_each(Visit visit, std::uint32_t node = 0) const {
    for (auto slot = nodes_[node].first; slot < nodes_[node].last; ++slot) {
      if (slots_[slot].child != none) for_each(visit, slots_[slot].child);
      else if (slots_[slot].count > 0) visit(slot, slots_[slot].count, nodes_[node].shift == 0);
    }
  }

  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
};

}  // namespace gamelan::engine::exec::sorting
