// SPDX-License-Identifier: BSD-3-Clause
// Tickets are drawn once each, by whomever, and for the step that they were opened for.
#include "engine/ranks/work_queue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace gamelan::engine {
namespace {

TEST(Tickets, come_in_order_and_only_for_their_step) {
  Tickets tickets;
  EXPECT_FALSE(tickets.draw(1));
  tickets.open(7, 3);
  EXPECT_FALSE(tickets.draw(6));
  EXPECT_FALSE(tickets.draw(8));
  for (std::int64_t expected = 0; expected < 3; ++expected) EXPECT_EQ(tickets.draw(7), expected);
  EXPECT_FALSE(tickets.draw(7));
  EXPECT_EQ(tickets.close(), 0);
}

TEST(Tickets, what_is_left_is_withdrawn) {
  Tickets tickets;
  tickets.open(1, Tickets::most);
  EXPECT_EQ(tickets.draw(1), 0);
  EXPECT_EQ(tickets.close(), Tickets::most - 1);
  EXPECT_FALSE(tickets.draw(1));
  EXPECT_EQ(tickets.close(), 0);
}

TEST(Tickets, step_numbers_may_grow_beyond_the_word) {
  Tickets tickets;
  const std::uint64_t step = (std::uint64_t{1} << 40) + 5;
  tickets.open(step, 1);
  EXPECT_FALSE(tickets.draw(step - 1));
  EXPECT_EQ(tickets.draw(step), 0);
}

TEST(Tickets, each_is_drawn_once_and_what_was_done_is_seen) {
  constexpr int steps = 200, helpers = 3;
  constexpr std::int64_t count = 64;
  Tickets tickets;
  std::vector<std::int64_t> done(count);  // written by whoever draws, read by the owner
  std::atomic<std::uint64_t> now{0};
  std::vector<std::jthread> others;
  for (int h = 0; h < helpers; ++h) {
    others.emplace_back([&] {
      for (std::uint64_t step = now; step <= steps; step = now) {
        while (const auto ticket = tickets.draw(step)) {
          done[static_cast<std::size_t>(*ticket)] += 1;
          tickets.return_one();
        }
        std::this_thread::yield();
      }
    });
  }
  std::uint64_t given = 0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    tickets.open(step, count);
    now = step;
    std::int64_t own = 0;
    while (const auto ticket = tickets.draw(step)) {
      done[static_cast<std::size_t>(*ticket)] += 1;
      ++own;
    }
    given += static_cast<std::uint64_t>(count - own - tickets.close());
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!tickets.returned().has_reached(given) && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    EXPECT_TRUE(tickets.returned().has_reached(given)) << "a ticket was lost in step " << step;
    for (const auto times : done) EXPECT_EQ(times, static_cast<std::int64_t>(step));
    if (::testing::Test::HasFailure()) break;
  }
  now = steps + 1;
}

}  // namespace
}  // namespace gamelan::engine
