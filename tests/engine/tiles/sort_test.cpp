// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of sorting and scattering: sorted runs against std::stable_sort, exact cuts and merges
// against a sort of everything, keys against comparisons, buckets against owners.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "engine/steps/irregular/buckets.hpp"
#include "engine/steps/irregular/run_bounds.hpp"
#include "engine/steps/irregular/run_sorter.hpp"
#include "engine/steps/irregular/sort_keys.hpp"
#include "engine/steps/irregular/sort_runs.hpp"
#include "tests/thread_time.hpp"

namespace gamelan::engine::steps::sorting {
namespace {

using Item = KeyAndPlace<std::uint32_t>;

template <class AnyItem>
void compare_sort(AnyItem* items, std::int64_t count) {
  std::stable_sort(items, items + count, [](const AnyItem& a, const AnyItem& b) { return a.key < b.key; });
}

/// The keys sorted with so much room, and where they were.
template <class Key, class Place>
std::pair<std::vector<KeyOnly<Key>>, std::vector<Place>> sorted_run(const std::vector<Key>& keys,
                                                                    std::int64_t room,
                                                                    const Between& between = {}) {
  const auto count = std::ssize(keys);
  std::vector<KeyOnly<Key>> sorted(keys.size());
  std::vector<Place> places(std::is_same_v<Place, NoPlace> ? 0 : keys.size());
  std::vector<std::byte> spare(static_cast<std::size_t>(room * spare_bytes_of_a_key<Key, Place>));
  const auto read = [&](std::int64_t first, std::int64_t size, KeyOnly<Key>* to) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = {keys[static_cast<std::size_t>(first + i)]};
  };
  RunSorter<Key, Place>(spare.data(), room, between).sort(count, read, sorted.data(), places.data());
  return {std::move(sorted), std::move(places)};
}

std::vector<Item> random_items(std::mt19937& random, std::int64_t count, std::uint32_t distinct) {
  std::vector<Item> items;
  for (std::int64_t i = 0; i < count; ++i)
    items.push_back({static_cast<std::uint32_t>(random() % distinct) * 0x01010107U, i});
  return items;
}

bool is_same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return x.key == y.key && x.place == y.place; });
}

/// Keys as programs have them: spread over a range, equal, rising, falling, in a narrow band with a few far
/// outside, and with all difference in the last bits.
std::vector<std::uint64_t> keys_of_kind(int kind, std::mt19937_64& random, std::int64_t count) {
  std::vector<std::uint64_t> keys;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    const std::uint64_t far = random() % 1000 == 0 ? random() : 77;
    const std::uint64_t kinds[] = {random(),
                                   random() >> 24,
                                   random() % 5,
                                   42,
                                   n * 977,
                                   ~n,
                                   far + random() % 100'000,
                                   (random() % 3 << 62) + random() % 300};
    keys.push_back(kinds[kind]);
  }
  return keys;
}

template <class K>
void expect_stable_sort(const std::vector<std::uint64_t>& numbers, std::int64_t room) {
  std::vector<K> keys;
  std::vector<KeyAndPlace<K>> expected;
  for (const auto number : numbers) {
    expected.push_back({static_cast<K>(number), std::ssize(expected)});
    keys.push_back(static_cast<K>(number));
  }
  compare_sort(expected.data(), std::ssize(expected));
  const auto has_same_key = [](const auto& x, const auto& y) { return x.key == y.key; };
  const auto expect_places = [&]<class Place>(Place) {
    const auto [sorted, places] = sorted_run<K, Place>(keys, room);
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), has_same_key));
    EXPECT_TRUE(std::equal(places.begin(), places.end(), expected.begin(),
                           [](Place place, const auto& item) { return place == item.place; }));
  };
  expect_places(std::uint32_t{});
  expect_places(std::int64_t{});
  const auto alone = sorted_run<K, NoPlace>(keys, room).first;
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), expected.begin(), has_same_key));
}

TEST(Sort, a_run_is_sorted_stably) {
  std::mt19937_64 random(1);
  for (const std::int64_t count : {1, 2, 24, 25, 1000, 8191, 8192, 30'000})
    for (const auto room : {count, count / 32 + 1})  // sorted at once, and dealt into buckets first
      for (int kind = 0; kind < 8; ++kind) {
        SCOPED_TRACE(std::to_string(count) + " of kind " + std::to_string(kind) + " with room for " +
                     std::to_string(room));
        const auto numbers = keys_of_kind(kind, random, count);
        expect_stable_sort<std::uint8_t>(numbers, room);
        expect_stable_sort<std::uint16_t>(numbers, room);
        expect_stable_sort<std::uint32_t>(numbers, room);
        expect_stable_sort<std::uint64_t>(numbers, room);
      }
}

TEST(Sort, buckets_hold_few_keys_or_equal_ones) {
  std::mt19937_64 random(9);
  constexpr std::int64_t count = 50'000, most = 700;
  for (int kind = 0; kind < 8; ++kind) {
    const auto keys = keys_of_kind(kind, random, count);
    const auto for_each_key = [&](auto visit) {
      for (const auto key : keys) visit(key);
    };
    KeyBuckets<std::uint64_t> buckets(count, most, for_each_key);
    std::vector<std::uint64_t> dealt(keys.size());
    buckets.deal(for_each_key,
                 [&](std::int64_t to, std::uint64_t key) { dealt[static_cast<std::size_t>(to)] = key; });
    std::int64_t end = 0;
    std::uint64_t greatest = 0;
    buckets.for_each_dealt([&](std::int64_t first, std::int64_t size, bool is_one_key) {
      ASSERT_EQ(first, end);
      end += size;
      const auto [least, most_of_all] = std::minmax_element(dealt.begin() + first, dealt.begin() + end);
      ASSERT_TRUE(first == 0 || greatest < *least);
      greatest = *most_of_all;
      ASSERT_TRUE(is_one_key ? *least == greatest : size <= most);
    });
    EXPECT_EQ(end, count);
  }
}

TEST(Sort, complex_numbers_come_with_their_places) {
  std::mt19937 random(10);
  using Key = ComplexKey<float>::Key;
  std::vector<Key> keys;
  for (int i = 0; i < 5000; ++i)
    keys.push_back(
        {static_cast<float>(random() % 9), random() % 20 == 0 ? NAN : static_cast<float>(random() % 9)});
  std::vector<KeyAndPlace<Key>> expected;
  for (const auto& key : keys) expected.push_back({key, std::ssize(expected)});
  compare_sort(expected.data(), std::ssize(expected));
  const auto [sorted, places] = sorted_run<Key, std::uint32_t>(keys, 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(places[i], expected[i].place);
    ASSERT_EQ(std::memcmp(&sorted[i].key, &expected[i].key, sizeof(Key)), 0);
  }
}

const auto whole = [](const Item& item, std::uint32_t) { return item; };

TEST(Sort, cuts_are_exact_and_merges_stable) {
  std::mt19937 random(2);
  for (int turn = 0; turn < 300; ++turn) {
    const auto run_count = 1 + random() % 6;
    std::vector<std::vector<Item>> runs;
    std::vector<Item> all;
    for (std::size_t r = 0; r < run_count; ++r) {
      runs.push_back(random_items(random, random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 40),
                                  static_cast<std::uint32_t>(1 + random() % 20)));
      for (auto& item : runs.back()) item.place += static_cast<std::int64_t>(r) * 1000;
      compare_sort(runs.back().data(), static_cast<std::int64_t>(runs.back().size()));
      all.insert(all.end(), runs.back().begin(), runs.back().end());
    }
    compare_sort(all.data(), static_cast<std::int64_t>(all.size()));
    const std::vector<std::span<const Item>> spans(runs.begin(), runs.end());
    std::vector<std::int64_t> before(run_count, 0);
    std::vector<Item> merged;
    const auto parts = 1 + random() % 5;
    for (std::size_t part = 1; part <= parts; ++part) {
      const auto wanted = static_cast<std::int64_t>(all.size() * part / parts);
      const auto cuts = exact_cuts<Item>(spans, wanted);
      ASSERT_EQ(std::accumulate(cuts.begin(), cuts.end(), std::int64_t{0}), wanted);
      std::vector<std::span<const Item>> pieces;
      for (std::size_t r = 0; r < run_count; ++r)
        pieces.push_back(spans[r].subspan(static_cast<std::size_t>(before[r]),
                                          static_cast<std::size_t>(cuts[r] - before[r])));
      const auto first = static_cast<std::int64_t>(merged.size());
      merged.resize(static_cast<std::size_t>(wanted));
      merge_runs<Item>(pieces, whole, [&](std::int64_t n, const Item& item) {
        merged[static_cast<std::size_t>(first + n)] = item;
      });
      before = cuts;
    }
    EXPECT_TRUE(is_same(merged, all)) << "turn " << turn;
  }
}

TEST(Sort, samples_bound_the_cuts) {
  std::mt19937 random(11);
  std::int64_t looked_at = 0, all_items = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const auto run_count = 1 + random() % 6;
    const auto spacing = 1 + static_cast<std::int64_t>(random() % 40);
    std::vector<std::vector<Item>> runs;
    for (std::size_t r = 0; r < run_count; ++r) {
      runs.push_back(random_items(random, random() % 800,
                                  static_cast<std::uint32_t>(1 + random() % (turn % 3 ? 2000 : 5))));
      compare_sort(runs.back().data(), static_cast<std::int64_t>(runs.back().size()));
    }
    std::vector<std::span<const Item>> spans(runs.begin(), runs.end());
    std::vector<Sample<Item>> samples;
    std::int64_t total = 0;
    for (const auto& run : runs) {
      auto& sample = samples.emplace_back(Sample<Item>{static_cast<std::int64_t>(run.size()), {}});
      for (std::size_t i = 0; i < run.size(); i += static_cast<std::size_t>(spacing))
        sample.items.push_back(run[i]);
      total += sample.length;
    }
    const auto wanted = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(total + 1));
    const auto cuts = exact_cuts<Item>(spans, wanted);
    const auto bounds = bound_cuts(samples, spacing, wanted);
    std::int64_t between = 0;
    for (std::size_t r = 0; r < run_count; ++r) {
      ASSERT_LE(bounds.low[r], cuts[r]) << "turn " << turn << " run " << r;
      ASSERT_GE(bounds.high[r], cuts[r]) << "turn " << turn << " run " << r;
      between += bounds.high[r] - bounds.low[r];
    }
    ASSERT_LE(between, 3 * static_cast<std::int64_t>(run_count) * spacing) << "turn " << turn;
    if (spacing * spacing < total) {
      looked_at += between;
      all_items += total;
    }
  }
  EXPECT_LT(looked_at * 5, all_items);
}

TEST(Sort, bounds_of_many_runs_cost_as_much_as_sorting_their_samples) {
  constexpr std::size_t run_count = 6000, samples_of_each = 64;
  constexpr std::int64_t spacing = 64;
  std::mt19937 random(5);
  std::vector<Sample<Item>> samples(run_count);
  std::vector<Item> all;
  for (auto& sample : samples) {
    sample.items = random_items(random, samples_of_each, 1U << 30);
    compare_sort(sample.items.data(), std::ssize(sample.items));
    sample.length = std::ssize(sample.items) * spacing;
    all.insert(all.end(), sample.items.begin(), sample.items.end());
  }
  auto start = testing::thread_seconds();
  compare_sort(all.data(), std::ssize(all));
  const auto sorting = testing::thread_seconds() - start;
  start = testing::thread_seconds();
  bound_cuts(samples, spacing, std::ssize(all) * spacing / 2);
  EXPECT_LT(testing::thread_seconds() - start, 10 * sorting);
}

TEST(Sort, is_interrupted_for_messages) {
  std::mt19937 random(6);
  for (const std::size_t count : {100'000UL, 1'000'000UL}) {
    std::vector<std::uint32_t> keys(count);
    std::generate(keys.begin(), keys.end(), std::ref(random));
    int times = 0;
    sorted_run<std::uint32_t, std::uint32_t>(keys, std::ssize(keys) / 32, [&] { ++times; });
    EXPECT_GT(times, 5);
  }
}

TEST(Sort, long_runs_merge_as_short_ones_do) {
  std::mt19937 random(3);
  for (const std::size_t run_count : {2U, 3U, 5U, 8U})
    for (const std::uint32_t distinct : {1U, 50U, 1U << 20}) {
      std::vector<std::vector<Item>> runs;
      std::vector<Item> all;
      for (std::size_t r = 0; r < run_count; ++r) {
        runs.push_back(random_items(random, r == 1 ? 40'000 : 5'000, distinct));
        for (auto& item : runs.back()) {
          item.key = distinct > 50 && r % 2 == 0 ? item.key / 1000 : item.key;  // runs that hardly overlap
          item.place += static_cast<std::int64_t>(r) * 1'000'000;
        }
        compare_sort(runs.back().data(), static_cast<std::int64_t>(runs.back().size()));
        all.insert(all.end(), runs.back().begin(), runs.back().end());
      }
      compare_sort(all.data(), static_cast<std::int64_t>(all.size()));
      std::vector<Item> merged(all.size());
      const auto put = [&](std::int64_t n, const Item& item) { merged[static_cast<std::size_t>(n)] = item; };
      merge_runs<Item>({runs.begin(), runs.end()}, whole, put);
      EXPECT_TRUE(is_same(merged, all)) << run_count << " runs of " << distinct;
      std::vector<Item> order(all.size());  // the run in place of the place
      const auto with_run = [](const Item& item, std::uint32_t run) { return Item{item.key, run}; };
      merge_runs<Item>({runs.begin(), runs.end()}, with_run,
                       [&](std::int64_t n, const Item& item) { order[static_cast<std::size_t>(n)] = item; });
      for (std::size_t n = 0; n < all.size(); ++n) ASSERT_EQ(order[n].place, all[n].place / 1'000'000) << n;
    }
}

TEST(Sort, keys_of_doubles_are_in_order) {
  using Coder = FloatKey<std::uint64_t, 52>;
  const double values[] = {-INFINITY, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 1, 1e300, INFINITY, NAN};
  for (std::size_t i = 0; i + 1 < std::size(values); ++i) {
    EXPECT_LT(Coder::encode(std::bit_cast<std::uint64_t>(values[i]), false),
              Coder::encode(std::bit_cast<std::uint64_t>(values[i + 1]), false));
    EXPECT_EQ(Coder::decode(Coder::encode(std::bit_cast<std::uint64_t>(values[i]), false)),
              std::bit_cast<std::uint64_t>(values[i]));
  }
  EXPECT_EQ(Coder::encode(std::bit_cast<std::uint64_t>(-0.0), true),
            Coder::encode(std::bit_cast<std::uint64_t>(0.0), true));
  EXPECT_EQ(Coder::encode(std::bit_cast<std::uint64_t>(-std::nan("")), false),
            Coder::encode(std::bit_cast<std::uint64_t>(std::nan("")), false));
  EXPECT_TRUE(std::isnan(std::bit_cast<double>(Coder::decode(Coder::last))));
}

TEST(Buckets, belong_to_the_owner_and_rise) {
  for (const int parts : {1, 2, 3, 7, 12})
    for (const std::int64_t extent : {1, 5, 100, 4099})
      for (const int step : {1, -1, 2})
        for (const int shift : {0, 3, 20}) {
          distribution::AxisLayout axis{.extent = extent,
                                        .template_extent = extent * std::abs(step),
                                        .start = step < 0 ? extent - 1 : 0,
                                        .step = step,
                                        .unit = 4,
                                        .parts = parts};
          const Buckets buckets(axis, shift);
          std::int64_t before = -1;
          for (std::int64_t i = 0; i < extent; ++i) {
            const auto bucket = buckets.find(i);
            ASSERT_TRUE(bucket == before || bucket == before + 1) << i;
            const auto [first, last] = buckets.of(axis.owner(i));
            ASSERT_TRUE(bucket >= first && bucket < last)
                << i << " of " << extent << " in " << parts << " parts";
            buckets.with_find([&](auto find) { ASSERT_EQ(find(i), bucket); });
            before = bucket;
          }
          EXPECT_EQ(before + 1, buckets.count());
        }
}

}  // namespace
}  // namespace gamelan::engine::steps::sorting
