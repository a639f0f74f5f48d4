// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/connection/cores_of.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

namespace gamelan::kernel {
namespace {

std::vector<int> cores_of(pid_t process) {
  cpu_set_t cores;
  std::vector<int> result;
  if (sched_getaffinity(process, sizeof cores, &cores) != 0) return result;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) result.push_back(core);
  return result;
}

void keep_to(pid_t process, const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ASSERT_EQ(sched_setaffinity(process, sizeof set, &set), 0);
}

class CoresOfAnother : public ::testing::Test {
 protected:
  void SetUp() override {
    if (own_.size() < 2) GTEST_SKIP() << "one core";
    other_ = fork();
    if (other_ == 0) {
      for (;;) pause();
    }
    ASSERT_GT(other_, 0);
  }
  void TearDown() override {
    if (own_.size() < 2) return;
    keep_to(0, own_);
    if (other_ > 0) {
      kill(other_, SIGKILL);
      waitpid(other_, nullptr, 0);
    }
  }

  const std::vector<int> own_ = cores_of(0);
  pid_t other_ = -1;
};

TEST_F(CoresOfAnother, are_used_and_given_back) {
  for (const int core : {own_.back(), own_.front()}) {
    keep_to(other_, {core});
    {
      const CoresOf theirs(other_);
      EXPECT_EQ(cores_of(0), std::vector{core});
      EXPECT_EQ(sched_getcpu(), core);
    }
    EXPECT_EQ(cores_of(0), own_);
  }
}

TEST_F(CoresOfAnother, are_left_alone_where_it_keeps_to_none_or_shares_none_or_is_not_there) {
  {
    const CoresOf theirs(other_);
    EXPECT_EQ(cores_of(0), own_);
  }
  keep_to(other_, {own_.back()});
  keep_to(0, {own_.front()});
  {
    const CoresOf theirs(other_);
    EXPECT_EQ(cores_of(0), std::vector{own_.front()});
  }
  keep_to(0, own_);
  kill(other_, SIGKILL);
  waitpid(other_, nullptr, 0);
  const CoresOf theirs(other_);
  EXPECT_EQ(cores_of(0), own_);
  other_ = -1;
}

TEST_F(CoresOfAnother, are_not_taken_back_from_whoever_has_given_others) {
  keep_to(other_, {own_.back()});
  {
    const CoresOf theirs(other_);
    keep_to(0, {own_.front()});
  }
  EXPECT_EQ(cores_of(0), std::vector{own_.front()});
}

}  // namespace
}  // namespace gamelan::kernel
