// SPDX-License-Identifier: BSD-3-Clause
// Which processes are stopped, and since when, by a clock of the test and children that are really stopped.
#include "engine/nodes/stopped_ranks.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gamelan::engine::nodes::test {
namespace {

using namespace std::chrono_literals;

/// A process that computes until it is ended.
class Child {
 public:
  Child() : id_(fork()) {
    while (id_ == 0) getppid();
  }
  ~Child() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void stop() {
    kill(id_, SIGSTOP);
    waitpid(id_, nullptr, WUNTRACED);
  }
  void go_on() {
    kill(id_, SIGCONT);
    waitpid(id_, nullptr, WCONTINUED);
  }
  std::int64_t id() const { return id_; }

 private:
  const pid_t id_;
};

TEST(StoppedRanks, names_who_is_stopped_and_since_when) {
  Child one, other;
  StoppedRanks ranks({{1, one.id()}, {3, other.id()}});
  auto now = StoppedRanks::Clock::time_point() + 1h;
  EXPECT_TRUE(ranks.look(now).empty()) << "both compute";
  other.stop();
  EXPECT_EQ(ranks.look(now += 1s).at(0).for_s, 0);
  const auto stopped = ranks.look(now += 2s);
  ASSERT_EQ(stopped.size(), 1u);
  EXPECT_EQ(stopped[0].rank, 3);
  EXPECT_EQ(stopped[0].process_id, other.id());
  EXPECT_EQ(stopped[0].for_s, 2);
  other.go_on();
  EXPECT_TRUE(ranks.look(now += 1s).empty());
}

TEST(StoppedRanks, counts_anew_after_a_pause_and_after_the_rank_went_on) {
  Child one;
  StoppedRanks ranks({{1, one.id()}});
  auto now = StoppedRanks::Clock::time_point() + 1h;
  one.stop();
  ranks.look(now);
  EXPECT_EQ(ranks.look(now += StoppedRanks::longest_pause).at(0).for_s, 3);
  EXPECT_EQ(ranks.look(now += StoppedRanks::longest_pause + 1s).at(0).for_s, 0) << "it may have run";
  one.go_on();
  ranks.look(now += 1s);
  one.stop();
  EXPECT_EQ(ranks.look(now += 1s).at(0).for_s, 0);
}

TEST(StoppedRanks, one_that_has_ended_is_not_stopped) {
  std::int64_t id = 0;
  {
    Child one;
    id = one.id();
  }
  EXPECT_TRUE(StoppedRanks({{1, id}}).look().empty());
}

}  // namespace
}  // namespace gamelan::engine::nodes::test
