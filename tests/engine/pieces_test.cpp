// SPDX-License-Identifier: BSD-3-Clause
// Pieces of checkpoints: their names, who keeps whose copies, which ones are read, and where their bytes
// belong.
#include <gtest/gtest.h>

#include <set>

#include "engine/distribution/axis_layout.hpp"
#include "engine/steps/files/piece_files.hpp"
#include "engine/steps/files/piece_messages.hpp"
#include "engine/steps/files/piece_plan.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using protocol::Shape;

TEST(Pieces, a_name_says_what_is_in_the_file) {
  for (const Piece& piece :
       {Piece{0, 8, 0, 0, false}, Piece{std::int64_t{1} << 50, 4096, 0xfedcba98, 1234, true},
        Piece{16, 1, 0x00000abc, 7, false}})
    EXPECT_EQ(piece_of(name_of(piece)), piece);
  for (const char* name :
       {"", ".3", "0-8-00000000-0.gone", "0-8-0-0", "0-8-00000000", "-8-8-00000000-0", "0-0-00000000-0",
        "0-8-00000000-0-copy-copy", "0-8-00000000-0-", "0-99999999999999999999-00000000-0"})
    EXPECT_EQ(piece_of(name), std::nullopt) << name;
}

TEST(Pieces, every_rank_has_one_buddy_on_the_next_node) {
  for (const std::vector<int>& leaders :
       {std::vector<int>{0, 0, 2, 2}, {0, 0, 0, 3, 4, 4}, {0, 1, 2}, {0, 1, 0, 1, 0}, {0, 0, 0, 0, 4}}) {
    std::multiset<int> kept;
    for (int rank = 0; rank < std::ssize(leaders); ++rank) {
      const auto target = buddies_of(rank, leaders).target;
      ASSERT_GE(target, 0);
      EXPECT_NE(leaders[static_cast<std::size_t>(target)], leaders[static_cast<std::size_t>(rank)]);
      for (const int source : buddies_of(rank, leaders).sources) {
        kept.insert(source);
        EXPECT_EQ(buddies_of(source, leaders).target, rank);
      }
    }
    EXPECT_EQ(kept.size(), leaders.size());
    EXPECT_EQ(std::set<int>(kept.begin(), kept.end()).size(), leaders.size());
  }
  EXPECT_EQ(buddies_of(1, std::vector<int>{0, 0, 0}).target, -1);
  EXPECT_TRUE(ranks_before(1, std::vector<int>{0, 0, 0}).empty());
}

TEST(Pieces, each_byte_comes_from_one_rank) {
  const auto of = [](std::vector<FoundPiece> found, std::int64_t bytes) {
    std::int64_t covered = 0;
    for (const auto& piece : chosen_pieces(std::move(found), bytes)) {
      EXPECT_EQ(piece.first, covered);
      covered += piece.bytes;
    }
    return covered;
  };
  EXPECT_EQ(of({{8, 8, 1}, {0, 8, 0}, {8, 8, 0}, {0, 8, 1}}, 16), 16);
  EXPECT_EQ(of({{0, 8, 0}, {16, 8, 0}}, 24), 8);
  EXPECT_EQ(of({{8, 8, 1}}, 16), 0);
  EXPECT_EQ(of({}, 16), 0);
  EXPECT_EQ(of({{0, 8, 0}, {0, 16, 1}, {8, 16, 2}}, 24), 16);  // overlap: not from one checkpoint
  EXPECT_EQ(of({{0, 8, 0}, {8, 16, 1}}, 16), 8);
}

TEST(Pieces, a_range_is_its_boxes_in_order) {
  for (const Shape& extents : {Shape{7}, Shape{3, 4}, Shape{2, 3, 4}, Shape{1, 5, 1, 2}}) {
    const auto all = protocol::element_count(extents);
    const auto strides = protocol::contiguous_strides(extents, 1);
    for (std::int64_t first = 0; first < all; ++first)
      for (std::int64_t last = first; last <= all; ++last) {
        std::int64_t next = first;
        for_each_box(extents, first, last, [&](const Box& box) {
          std::int64_t place = 0;
          for (std::size_t k = 0; k < box.size(); ++k) place += box[k].first * strides[k];
          EXPECT_EQ(place, next);
          next += distribution::volume(box);
        });
        EXPECT_EQ(next, last);
      }
  }
}

TEST(Pieces, the_first_problem_is_kept_and_work_goes_on) {
  FirstProblem problem;
  EXPECT_TRUE(problem.attempt([] {}));
  EXPECT_FALSE(problem.first().has_value());
  EXPECT_FALSE(problem.attempt([] { throw std::bad_alloc(); }));
  EXPECT_FALSE(problem.attempt([] { throw protocol::Error(protocol::ErrorKind::os, "later"); }));
  EXPECT_TRUE(problem.attempt([] {}));
  ASSERT_TRUE(problem.first().has_value());
  EXPECT_EQ(problem.first()->kind(), protocol::ErrorKind::memory);
}

}  // namespace
}  // namespace gamelan::engine::steps
