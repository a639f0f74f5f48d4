// SPDX-License-Identifier: BSD-3-Clause
// Each item is taken once, by any rank, and only in the step for which the queue was opened.
#include "engine/ranks/work_queue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace gamelan::engine {
namespace {

TEST(WorkQueue, come_in_order_and_only_for_their_step) {
  WorkQueue queue;
  EXPECT_FALSE(queue.take(1));
  queue.open(7, 3);
  EXPECT_FALSE(queue.take(6));
  EXPECT_FALSE(queue.take(8));
  for (std::int64_t expected = 0; expected < 3; ++expected) EXPECT_EQ(queue.take(7), expected);
  EXPECT_FALSE(queue.take(7));
  EXPECT_EQ(queue.close(), 0);
}

TEST(WorkQueue, what_is_left_is_withdrawn) {
  WorkQueue queue;
  queue.open(1, WorkQueue::max_items);
  EXPECT_EQ(queue.take(1), 0);
  EXPECT_EQ(queue.close(), WorkQueue::max_items - 1);
  EXPECT_FALSE(queue.take(1));
  EXPECT_EQ(queue.close(), 0);
}

TEST(WorkQueue, step_numbers_may_grow_beyond_the_word) {
  WorkQueue queue;
  const std::uint64_t step = (std::uint64_t{1} << 40) + 5;
  queue.open(step, 1);
  EXPECT_FALSE(queue.take(step - 1));
  EXPECT_EQ(queue.take(step), 0);
}

TEST(WorkQueue, each_is_taken_once_and_what_was_done_is_seen) {
  constexpr int steps = 200, helpers = 3;
  constexpr std::int64_t count = 64;
  WorkQueue queue;
  std::vector<std::int64_t> done(count);  // written by whoever draws, read by the owner
  std::atomic<std::uint64_t> now{0};
  std::vector<std::jthread> others;
  for (int h = 0; h < helpers; ++h) {
    others.emplace_back([&] {
      for (std::uint64_t step = now; step <= steps; step = now) {
        while (const auto item = queue.take(step)) {
          done[static_cast<std::size_t>(*item)] += 1;
          queue.report_done();
        }
        std::this_thread::yield();
      }
    });
  }
  std::uint64_t given = 0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    queue.open(step, count);
    now = step;
    std::int64_t own = 0;
    while (const auto item = queue.take(step)) {
      done[static_cast<std::size_t>(*item)] += 1;
      ++own;
    }
    given += static_cast<std::uint64_t>(count - own - queue.close());
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!queue.done().has_reached(given) && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    EXPECT_TRUE(queue.done().has_reached(given)) << "an item was lost in step " << step;
    for (const auto times : done) EXPECT_EQ(times, static_cast<std::int64_t>(step));
    if (::testing::Test::HasFailure()) break;
  }
  now = steps + 1;
}

}  // namespace
}  // namespace gamelan::engine
