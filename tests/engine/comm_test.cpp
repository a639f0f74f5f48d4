// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ranks/comm.hpp"

#include <string>

#include "engine/assert.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine {
namespace {

using protocol::Error;
using protocol::ErrorKind;
using testing::comm;

TEST(Comm, one_node_unless_told_otherwise) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(comm().size(), size);
  const char* pretended = std::getenv("GAMELAN_RANKS_PER_NODE");
  const int ranks_per_node = pretended ? std::atoi(pretended) : size;
  EXPECT_EQ(comm().is_one_node(), size <= ranks_per_node);
  EXPECT_EQ(is_on_one_node(comm().world()), comm().is_one_node()) << "the remembered answer";
}

TEST(Comm, broadcast_of_any_size) {
  for (const std::size_t size : {0u, 1u, 4096u, 5'000'001u}) {
    Bytes bytes;
    if (comm().rank() == 0) {
      for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i * 7));
    } else {
      bytes.resize(3);  // ignored
    }
    const Bytes received = comm().broadcast(std::move(bytes));
    ASSERT_EQ(received.size(), size);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(received[i], static_cast<std::byte>(i * 7));
  }
}

TEST(Comm, agreements) {
  EXPECT_EQ(comm().agree_max(comm().rank()), comm().size() - 1);
  EXPECT_EQ(comm().agree_min(-comm().rank()), 1 - comm().size());
  EXPECT_TRUE(comm().same_on_all_ranks(0xffff'ffff'ffff'fff0u));
  const bool is_last = comm().rank() == comm().size() - 1;
  EXPECT_EQ(comm().same_on_all_ranks(is_last ? 1 : 0), comm().size() == 1);
}

TEST(Comm, the_lowest_ranks_error_is_everybodys) {
  comm().throw_together(std::nullopt);
  std::optional<Error> mine;
  const int lowest = comm().size() > 1 ? 1 : 0;
  if (comm().rank() >= lowest) {
    mine.emplace(ErrorKind::os, "from rank " + std::to_string(comm().rank()), 40 + comm().rank());
  }
  try {
    comm().throw_together(mine);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::os);
    EXPECT_EQ(error.command(), 40 + lowest);
    EXPECT_EQ(error.what(), "from rank " + std::to_string(lowest));
  }
}

TEST(Assert, says_where_and_what) {
  if constexpr (assert_level >= AssertLevel::cheap) {
    try {
      GAMELAN_ASSERT(cheap, 1 + 1 == 3, "arithmetic is broken");
      ADD_FAILURE() << "passed";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_NE(std::string(error.what()).find("comm_test.cpp"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("arithmetic is broken (expected 1 + 1 == 3)"),
                std::string::npos);
    }
  }
  int evaluations = 0;
  GAMELAN_ASSERT(collective, ++evaluations == 1, "above the level it is not evaluated");
  EXPECT_EQ(evaluations, assert_level == AssertLevel::collective ? 1 : 0);
}

}  // namespace
}  // namespace gamelan::engine
