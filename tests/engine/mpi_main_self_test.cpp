// SPDX-License-Identifier: BSD-3-Clause
// Proves that mpi_main merges: each test here fails on one rank only, and must be counted as failed on every
// rank.
#include "tests/mpi_test.hpp"

namespace gamelan {
namespace {

TEST(MpiMain, fails_on_the_last_rank_only) {
  EXPECT_NE(testing::comm().rank(), testing::comm().size() - 1) << "meant to fail";
}

TEST(MpiMain, throws_on_the_last_rank_only) {
  if (testing::comm().rank() == testing::comm().size() - 1) throw std::runtime_error("meant to fail");
}

TEST(MpiMain, passes) {}

}  // namespace
}  // namespace gamelan
