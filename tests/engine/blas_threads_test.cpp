// SPDX-License-Identifier: BSD-3-Clause
// A large matrix that one rank computes gets threads for the cores of all, and gives them back.
#include "engine/steps/linalg/blas_threads.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "engine/ranks/own_cores.hpp"

namespace gamelan::engine::steps {
namespace {

constexpr std::int64_t large = 500 * 500, small = 100 * 100;
constexpr int most = 16;

class OfBlas : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kind = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
    if (kind == nullptr || kind() != 1) GTEST_SKIP() << "BLAS is no OpenBLAS with threads of its own";
    threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    before_ = threads();
    set_threads(1);  // as an engine has it
  }
  void TearDown() override {
    if (set_threads != nullptr) set_threads(before_);
  }

  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;
  const int all = std::min(cores_of_machine(), most);

 private:
  int before_ = 1;
};

TEST_F(OfBlas, a_large_matrix_has_the_cores_of_all_ranks) {
  for (int turn = 0; turn < 2; ++turn) {
    {
      const BlasThreads more(large);
      EXPECT_EQ(threads(), all);
    }
    EXPECT_EQ(threads(), 1) << "turn " << turn;
  }
}

TEST_F(OfBlas, a_small_one_has_not) {
  const BlasThreads more(small);
  EXPECT_EQ(threads(), 1);
}

TEST_F(OfBlas, they_are_given_back_after_an_error) {
  try {
    const BlasThreads more(large);
    throw std::runtime_error("no memory");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(threads(), 1);
}

TEST_F(OfBlas, who_has_as_many_keeps_them) {
  set_threads(all);
  const int had = threads();
  {
    const BlasThreads more(large);
    EXPECT_EQ(threads(), had);
  }
  EXPECT_EQ(threads(), had);
}

}  // namespace
}  // namespace gamelan::engine::steps
