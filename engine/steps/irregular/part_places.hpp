// SPDX-License-Identifier: BSD-3-Clause
// argpartition of a line whose selected keys are known (select_keys.hpp): the keys below the first of them,
// those equal to it, those up to the next, and so on. Each of these groups keeps its order, so the result
// depends on the line alone.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/steps/irregular/sort_keys.hpp"

namespace gamelan::engine::steps::sorting {

template <class K>
class PlaceParter {
 public:
  using Item = KeyOnly<K>;
  static constexpr std::int64_t chunk = 1024;

  /// `pivots`: the selected keys, which rise.
  explicit PlaceParter(std::vector<K> pivots) : pivots_(std::move(pivots)), begins_(2 * pivots_.size() + 2) {}

  /// Calls write(to, from) for each key 0 <= from < count: its place in the parted line. read(first, size,
  /// keys) writes at most `chunk` keys of the line.
  template <class Read, class Write>
  void part(std::int64_t count, const Read& read, const Write& write) {
    std::fill(begins_.begin(), begins_.end(), std::int64_t{0});
    for_each_key(count, read, [&](K key, std::int64_t) { ++begins_[group_of(key) + 1]; });
    for (std::size_t group = 1; group < begins_.size(); ++group) begins_[group] += begins_[group - 1];
    for_each_key(count, read, [&](K key, std::int64_t from) { write(begins_[group_of(key)]++, from); });
  }

 private:
  /// Twice as many as there are pivots below the key, and one more for a pivot that equals it.
  std::size_t group_of(K key) const {
    std::size_t group = 0;
    for (const K& pivot : pivots_)
      group += static_cast<std::size_t>(pivot < key) + static_cast<std::size_t>(!(key < pivot));
    return group;
  }

  template <class Read, class Visit>
  void for_each_key(std::int64_t count, const Read& read, const Visit& visit) {
    for (std::int64_t first = 0; first < count; first += chunk) {
      const auto size = std::min(chunk, count - first);
      read(first, size, buffer_.data());
      for (std::int64_t i = 0; i < size; ++i) visit(buffer_[static_cast<std::size_t>(i)].key, first + i);
    }
  }

  const std::vector<K> pivots_;
  std::vector<std::int64_t> begins_;  // by group: where its next key goes
  std::array<Item, chunk> buffer_;
};

}  // namespace gamelan::engine::steps::sorting
