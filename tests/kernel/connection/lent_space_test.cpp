// SPDX-License-Identifier: BSD-3-Clause
// Space for what is lent: no two loans share a byte, and what has come back is lent again.
#include "kernel/connection/lent_space.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace gamelan::connection::test {
namespace {

using kernel::LentSpace;

TEST(LentSpace, is_lent_to_its_end_and_again_from_its_beginning) {
  LentSpace space(1024);
  EXPECT_FALSE(space.take(1, 1025));
  EXPECT_EQ(space.take(1, 1024), 0);
  EXPECT_FALSE(space.take(2, 1));
  space.release(1);
  EXPECT_EQ(space.take(2, 300), 0);
  EXPECT_EQ(space.take(3, 300), 320);
  space.release(2);
  EXPECT_EQ(space.take(4, 384), 640);  // exactly the rest
  EXPECT_EQ(space.take(5, 320), 0);    // exactly what came back
  EXPECT_FALSE(space.take(6, 1));
  space.release(4);  // behind an older one that is out
  EXPECT_FALSE(space.take(6, 1));
  space.release(3);
  EXPECT_EQ(space.take(6, 704), 320);
}

TEST(LentSpace, begins_at_the_beginning_when_all_is_back) {
  LentSpace space(1 << 20);
  for (std::uint64_t seq = 1; seq < 1000; ++seq) {
    EXPECT_EQ(space.take(seq, 100'000), 0);
    space.release(seq);
    space.release(seq + 1000);  // of a request that has lent nothing
  }
}

TEST(LentSpace, no_two_loans_share_a_byte_whatever_comes_back_first) {
  std::mt19937 random(17);
  constexpr std::size_t bytes = 4096;
  LentSpace space(bytes);
  struct Loan {
    std::uint64_t seq;
    std::size_t begin, end;
  };
  std::deque<Loan> loans;
  int refused = 0;
  for (std::uint64_t seq = 1; seq < 20'000; ++seq) {
    for (auto count = random() % 3; count > 0; --count) {  // several of one request
      const std::size_t length = 1 + random() % 1500;
      const auto begin = space.take(seq, length);
      refused += !begin;
      if (!begin) continue;
      ASSERT_EQ(*begin % 64, 0U);
      ASSERT_LE(*begin + length, bytes);
      for (const Loan& other : loans)
        ASSERT_TRUE(*begin >= other.end || *begin + length <= other.begin) << seq;
      loans.push_back({seq, *begin, *begin + length});
    }
    if (loans.empty() || random() % 3 == 0) continue;
    const auto seq_back = loans[random() % std::min<std::size_t>(loans.size(), 3)].seq;
    space.release(seq_back);
    std::erase_if(loans, [&](const Loan& loan) { return loan.seq == seq_back; });
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace gamelan::connection::test
