// SPDX-License-Identifier: BSD-3-Clause
// How long a silent rank 0 of this machine is waited for, by a clock of the test.
#include <gtest/gtest.h>

#include "kernel/connection/silence.hpp"

namespace gamelan::connection::test {
namespace {

using kernel::Silence;
using Verdict = Silence::Verdict;
using namespace std::chrono_literals;

constexpr auto usual = 20s, patience = 600s;

/// Somebody looks once a second.
struct Watched {
  Silence::Clock::time_point now;
  Silence silence{now};
  Verdict after(std::chrono::seconds time, bool is_stopped) {
    Verdict last = Verdict::usual;
    for (auto second = 0s; second < time && last != Verdict::lost; ++second) {
      silence.look(now += 1s);
      last = silence.local_verdict(is_stopped, usual, patience);
    }
    return last;
  }
};

TEST(Silence, one_that_runs_is_lost_after_the_usual_time) {
  Watched rank_0;
  EXPECT_EQ(rank_0.after(20s, false), Verdict::usual);
  EXPECT_EQ(rank_0.after(1s, false), Verdict::lost);
}

TEST(Silence, one_that_was_stopped_has_the_usual_time_from_when_it_goes_on) {
  Watched rank_0;
  EXPECT_EQ(rank_0.after(24s, true), Verdict::waits);
  EXPECT_EQ(rank_0.after(20s, false), Verdict::waits);
  EXPECT_EQ(rank_0.after(1s, false), Verdict::lost);
}

TEST(Silence, one_that_was_stopped_for_less_than_the_usual_time_has_it_too) {
  Watched rank_0;
  rank_0.after(19s, true);
  EXPECT_EQ(rank_0.after(20s, false), Verdict::waits);
  EXPECT_EQ(rank_0.after(1s, false), Verdict::lost);
}

TEST(Silence, one_that_is_stopped_is_known_to_be_waited_for_at_once) {
  Watched rank_0;
  EXPECT_EQ(rank_0.after(1s, true), Verdict::waits);
  EXPECT_EQ(rank_0.after(1s, false), Verdict::usual);
}

TEST(Silence, one_that_stays_stopped_is_waited_for_as_long_as_patience_says) {
  Watched rank_0;
  EXPECT_EQ(rank_0.after(600s, true), Verdict::waits);
  EXPECT_EQ(rank_0.after(1s, true), Verdict::lost);
}

TEST(Silence, an_answer_ends_what_was_counted) {
  Watched rank_0;
  rank_0.after(500s, true);
  rank_0.silence.end();
  EXPECT_EQ(rank_0.after(20s, false), Verdict::usual);
  EXPECT_EQ(rank_0.after(1s, false), Verdict::lost);
}

TEST(Silence, time_in_which_nobody_looked_does_not_count) {
  Watched rank_0;
  rank_0.now += 3600s;
  EXPECT_EQ(rank_0.after(18s, false), Verdict::usual);
}

}  // namespace
}  // namespace gamelan::connection::test
