// SPDX-License-Identifier: BSD-3-Clause
// argpartition of a line whose selected keys are known (select_keys.hpp): the keys below the first of them,
// those equal to it, those up to the next, and so on. Each of these groups keeps its order, so the result
// depends on the line alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gamelan::engine::steps::sorting {

/// Calls write(to, from) for each key: its place in the parted line, and the place where it stands, counted
/// from 0. `pivots`: the selected keys, which rise. `for_each_key(visit)` must call visit(key) for all keys,
/// the same ones each time. It is called twice.
template <class Key, class ForEachKey, class Write>
void part_places(std::span<const Key> pivots, ForEachKey for_each_key, Write write) {
  // Twice as many as there are pivots below the key, and one more for a pivot that equals it.
  const auto group_of = [pivots](const Key& key) {
    std::size_t group = 0;
    for (const Key& pivot : pivots)
      group += static_cast<std::size_t>(pivot < key) + static_cast<std::size_t>(!(key < pivot));
    return group;
  };
  std::vector<std::int64_t> begins(2 * pivots.size() + 2);  // by group: where its next key goes
  for_each_key([&](const Key& key) { ++begins[group_of(key) + 1]; });
  for (std::size_t group = 1; group < begins.size(); ++group) begins[group] += begins[group - 1];
  std::int64_t from = 0;
  for_each_key([&](const Key& key) { write(begins[group_of(key)]++, from++); });
}

}  // namespace gamelan::engine::steps::sorting
