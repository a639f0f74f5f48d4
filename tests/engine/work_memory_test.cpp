// SPDX-License-Identifier: BSD-3-Clause
// Work memory of LAPACK: it is refused before it is taken.
#include "engine/steps/linalg/work_memory.hpp"

#include <gtest/gtest.h>

namespace gamelan::engine::steps {
namespace {

/// The message of the MemoryError.
template <class T>
std::string refusal(double wanted, int ranks_at_once) {
  try {
    admitted<T>(wanted, ranks_at_once);
  } catch (const protocol::Error& error) {
    EXPECT_EQ(error.kind(), protocol::ErrorKind::memory);
    return error.what();
  }
  return {};
}

TEST(WorkMemory, holds_more_than_a_rounded_answer) {
  EXPECT_EQ(admitted<double>(100, 4), 101);
  EXPECT_EQ(admitted<double>(16777216.0F, 1), 16777217);
  EXPECT_EQ(admitted<double>(-1, 4), 1) << "a library that asks for nothing gets a pointer all the same";
  WorkMemory<double> work(1000, 2);
  EXPECT_EQ(work.size(), 1001);
  for (int at = 0; at < work.size(); ++at) work.data()[at] = at;
  EXPECT_EQ(work.data()[1000], 1000);
}

TEST(WorkMemory, is_refused_where_the_library_cannot_count_it) {
  EXPECT_NE(refusal<double>(3e9, 1).find("more than it can count"), std::string::npos);
}

TEST(WorkMemory, is_refused_where_the_ranks_of_the_node_have_no_room_together) {
  const double a_tenth = static_cast<double>(distribution::memory_headroom()) / 10 / sizeof(char);
  const double wanted = std::min(a_tenth, 1e9);
  const int too_many =
      static_cast<int>(static_cast<double>(distribution::memory_headroom()) / wanted) * 2 + 2;
  EXPECT_EQ(refusal<char>(wanted, 1), "");
  EXPECT_NE(refusal<char>(wanted, too_many).find("has no room"), std::string::npos);
}

}  // namespace
}  // namespace gamelan::engine::steps
