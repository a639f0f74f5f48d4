// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/random/random_words.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace gamelan::kernel {

// random_words_level.cpp
#define GAMELAN_LEVEL(isa)                                                                           \
  namespace isa {                                                                                    \
  void random_words(std::uint64_t key, std::uint64_t first, std::uint64_t* one, std::uint64_t* two); \
  void random_normals(std::uint64_t key, std::uint64_t first, double* normals);                      \
  }
GAMELAN_LEVEL(baseline)
#if defined(__x86_64__)
GAMELAN_LEVEL(avx2)
GAMELAN_LEVEL(avx512)
#endif
#undef GAMELAN_LEVEL

namespace {

struct Level {
  int number;
  decltype(baseline::random_words)* words;
  decltype(baseline::random_normals)* normals;
};

Level best() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return {2, avx512::random_words, avx512::random_normals};
  if (__builtin_cpu_supports("avx2")) return {1, avx2::random_words, avx2::random_normals};
#endif
  return {0, baseline::random_words, baseline::random_normals};
}

const Level& level() {
  static const Level chosen = best();
  return chosen;
}

}  // namespace

int random_level() { return level().number; }

void RandomWords::draw(std::uint64_t key, std::uint64_t first) { level().words(key, first, one, two); }

void RandomNormals::draw(std::uint64_t key, std::uint64_t first) { level().normals(key, first, values); }

/// Words of the same leading bits come together, about one of each; then few are sorted at a time.
void random_order(std::uint64_t key, std::uint64_t first, std::span<std::int64_t> order) {
  using Item = std::pair<std::uint64_t, std::int64_t>;  // word, place
  const auto count = order.size();
  if (count == 0) return;
  const int shift = 64 - std::max(1, static_cast<int>(std::bit_width(count)) - 1);
  std::vector<std::uint64_t> drawn(count);
  std::vector<std::uint32_t> ends((std::size_t{1} << (64 - shift)) + 1);
  RandomWords words;
  for (std::size_t done = 0; done < count; done += RandomWords::count) {
    words.draw(key, first + done);
    for (std::size_t j = 0; j < std::min(RandomWords::count, count - done); ++j) {
      drawn[done + j] = words.one[j];
      ++ends[(words.one[j] >> shift) + 1];
    }
  }
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  std::vector<Item> items(count);  // from here on ends[k] is where the next word of k goes
  for (std::size_t place = 0; place < count; ++place)
    items[ends[drawn[place] >> shift]++] = {drawn[place], static_cast<std::int64_t>(place)};
  // Each group is in the order of places. Insertion over all at once moves an item within its group only.
  for (std::size_t k = 1; k < count; ++k) {
    const Item item = items[k];
    auto to = k;
    for (; to > 0 && items[to - 1].first > item.first; --to) items[to] = items[to - 1];
    items[to] = item;
  }
  std::transform(items.begin(), items.end(), order.begin(), [](const Item& item) { return item.second; });
}

}  // namespace gamelan::kernel
