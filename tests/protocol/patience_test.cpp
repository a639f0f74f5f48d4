// SPDX-License-Identifier: BSD-3-Clause
// How long a wait looks before it sleeps. What the machine does meanwhile is not ours to say, so times are
// those of the longest or the shortest of several tries.
#include "protocol/lanes/patience.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace gamelan::protocol::test {
namespace {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;
using Clock = std::chrono::steady_clock;

int taken(Naps& naps) {
  int count = 0;
  while (naps.take_one()) ++count;
  return count;
}

TEST(Naps, one_accident_costs_one_sleep) {
  Naps naps;
  EXPECT_EQ(taken(naps), 0);
  naps.core_was_taken();
  EXPECT_EQ(taken(naps), 1);
  EXPECT_EQ(taken(naps), 0);
}

TEST(Naps, a_busy_machine_is_left_alone_longer_and_longer) {
  Naps naps;
  for (const int expected : {1, 2, 4, 8, 16, 16}) {
    naps.core_was_taken();
    EXPECT_EQ(taken(naps), expected);
  }
}

TEST(Naps, waits_that_end_well_bring_confidence_back) {
  for (const auto& [waits, expected] :
       {std::pair{0, 16}, std::pair{1, 8}, std::pair{2, 4}, std::pair{9, 1}}) {
    Naps naps;
    for (int time = 0; time < 5; ++time) naps.core_was_taken();
    taken(naps);
    for (int wait = 0; wait < waits; ++wait) naps.waited_well();
    naps.core_was_taken();
    EXPECT_EQ(taken(naps), expected) << waits;
  }
}

TEST(Patience, knows_whether_there_is_a_core_for_each) {
  EXPECT_TRUE(Patience(1).has_a_core());
  EXPECT_FALSE(Patience(100'000).has_a_core());
}

TEST(Patience, sees_what_is_there_without_waiting) {
  SharedCounter counter;
  counter.publish(3);
  Patience patience(1);
  EXPECT_TRUE(patience.wait_awake(counter, 3));
}

TEST(Patience, gives_up_when_its_time_is_over) {
  SharedCounter counter;
  Patience patience(1, 100us);
  auto longest = 0us;
  for (int round = 0; round < 50; ++round) {
    const auto begin = Clock::now();
    EXPECT_FALSE(patience.wait_awake(counter, 1));
    longest = std::max(longest, std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin));
  }
  EXPECT_GE(longest, 100us);
}

TEST(Patience, sees_what_another_thread_raises) {
  SharedCounter counter;
  Patience patience(1, 10s);
  int seen = 0;
  for (std::uint64_t round = 1; round <= 20; ++round) {
    std::thread other([&] {
      std::this_thread::sleep_for(200us);
      counter.publish(round);
    });
    seen += patience.wait_awake(counter, round);  // a slow yield, or a nap after one, may end it early
    other.join();
  }
  EXPECT_GT(seen, 0);
}

TEST(Patience, leaves_the_core_to_who_needs_it) {
  cpu_set_t own, first;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  CPU_ZERO(&first);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++core)
    if (CPU_ISSET(core, &own)) CPU_SET(core, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  std::atomic<bool> is_over{false};
  std::thread busy([&] {  // on the same core
    while (!is_over) {
    }
  });
  SharedCounter counter;
  Patience patience(1, 60s);
  const auto begin = Clock::now();
  EXPECT_FALSE(patience.wait_awake(counter, 1));  // the other one took it
  EXPECT_FALSE(patience.wait_awake(counter, 1));  // a nap
  EXPECT_LT(Clock::now() - begin, 30s);
  is_over = true;
  busy.join();
  sched_setaffinity(0, sizeof own, &own);
}

}  // namespace
}  // namespace gamelan::protocol::test
