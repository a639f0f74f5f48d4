// SPDX-License-Identifier: BSD-3-Clause
#include "protocol/lanes/patience.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace gamelan::protocol;

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

TEST(Patience, sees_what_is_there_without_waiting) {
  SharedCounter counter;
  counter.publish(3);
  Patience patience(1);
  EXPECT_TRUE(patience.wait_awake(counter, 3));
}

TEST(Patience, gives_up_when_its_time_is_over) {
  SharedCounter counter;
  Patience patience(1, std::chrono::microseconds(100));
  EXPECT_FALSE(patience.wait_awake(counter, 1));
}

}  // namespace
