// SPDX-License-Identifier: BSD-3-Clause
// How a matrix product is cut into calls of BLAS: by whole units, and by the same tiles whatever the block
// is.
#include "engine/steps/linalg/product_tiles.hpp"

#include <gtest/gtest.h>

namespace gamelan::engine::steps {
namespace {

using distribution::Interval;
constexpr auto width = plan::matmul_tile_columns;

TEST(ProductTiles, adjacent_whole_tiles_are_one_piece) {
  EXPECT_EQ(cut({0, 100}, 100, 8, 64), (std::vector<Interval>{{0, 64}, {64, 96}, {96, 100}}));
  EXPECT_EQ(cut({0, 100}, 100, 8, 64, true), (std::vector<Interval>{{0, 64}, {64, 100}}));
  EXPECT_EQ(cut({5, 30}, 100, 8, 64), (std::vector<Interval>{{0, 8}, {8, 24}, {24, 32}}));
  EXPECT_EQ(cut({5, 30}, 100, 8, 0), (std::vector<Interval>{{0, 8}, {8, 16}, {16, 24}, {24, 32}}));
  EXPECT_EQ(cut({30, 40}, 20, 8, 64, true), std::vector<Interval>{});
}

TEST(ProductTiles, joined_columns_are_whole_units_and_no_call_is_too_small) {
  for (std::int64_t extent = 1; extent < 1400; ++extent)
    for (const bool are_dots : {false, true}) {
      const JoinedTiles joined(extent, are_dots);
      EXPECT_EQ(joined.columns % JoinedTiles::unit, 0);
      EXPECT_EQ(joined.height % JoinedTiles::unit, 0);
      EXPECT_LE(joined.height, plan::matmul_tile_rows);
      EXPECT_LT(extent - joined.columns, width);
      const auto last = joined.columns % width;
      if (are_dots && joined.columns > 0) {
        EXPECT_GE(joined.height * (last == 0 ? width : last), JoinedTiles::least_area) << extent;
      }
      if (!are_dots) {
        EXPECT_LT(extent - joined.columns, JoinedTiles::unit);
      }
    }
}

TEST(ProductTiles, every_block_is_covered_by_tiles_of_the_whole) {
  for (const std::int64_t extent : {1, 7, 8, 255, 256, 263, 264, 600, 1414})
    for (const bool are_dots : {false, true})
      for (std::int64_t first = 0; first < extent; first += 97)
        for (std::int64_t last = first + 1; last <= extent; last += 61) {
          const JoinedTiles joined(extent, are_dots);
          const auto pieces = joined.cut_columns({first, last}, extent);
          ASSERT_FALSE(pieces.empty());
          EXPECT_LE(pieces.front().first, first);
          EXPECT_GE(pieces.back().last, last);
          for (std::size_t k = 0; k < pieces.size(); ++k) {
            if (k > 0) {
              EXPECT_EQ(pieces[k].first, pieces[k - 1].last);
            }
            for (const auto edge : {pieces[k].first, pieces[k].last})
              EXPECT_TRUE(edge == extent || edge == joined.columns ||
                          (edge < joined.columns && edge % width == 0))
                  << edge;
          }
        }
}

TEST(GramTiles, one_of_two_mirrored_tiles_is_computed) {
  for (std::int64_t tiles = 1; tiles <= 40; ++tiles)
    for (std::int64_t row = 0; row < tiles; ++row) {
      std::int64_t computed = 0;
      for (std::int64_t column = 0; column < tiles; ++column) {
        computed += plan::gram_computes(row, column, tiles);
        if (row == column)
          EXPECT_TRUE(plan::gram_computes(row, column, tiles));
        else
          EXPECT_NE(plan::gram_computes(row, column, tiles), plan::gram_computes(column, row, tiles));
      }
      EXPECT_LE(std::abs(2 * computed - tiles), 2) << row << " of " << tiles;
    }
}

TEST(GramTiles, parts_cover_every_block) {
  for (const std::int64_t extent : {512, 600, 777, 1281})
    for (const Interval& rows :
         {Interval{0, extent}, Interval{0, 300}, Interval{300, 511}, Interval{400, extent}})
      for (const Interval& columns : {Interval{0, extent}, Interval{100, 512}}) {
        std::vector<int> times(static_cast<std::size_t>(extent * extent));
        for (const bool are_computed : {true, false})
          for (const auto& part : gram_parts(rows, columns, extent, are_computed))
            for (auto i = part.rows.first; i < part.rows.last; ++i)
              for (auto j = part.columns.first; j < part.columns.last; ++j)
                ++times[static_cast<std::size_t>(i * extent + j)];
        for (std::int64_t i = 0; i < extent; ++i)
          for (std::int64_t j = 0; j < extent; ++j) {
            const bool is_within = i >= rows.first && i < rows.last && j >= columns.first && j < columns.last;
            const bool is_mirrored_too = j > i && i / width == j / width;  // above the diagonal
            ASSERT_EQ(times[static_cast<std::size_t>(i * extent + j)], is_within ? 1 + is_mirrored_too : 0)
                << i << " " << j << " of " << extent;
          }
      }
}

TEST(ProductTiles, only_a_lone_tile_is_cut_by_columns) {
  const JoinedTiles joined(1414, false);
  EXPECT_EQ(joined.together(704, 1408), 1408);
  EXPECT_EQ(joined.together(8, 1408), width);
  EXPECT_EQ(joined.together(6, 1408), width);
}

}  // namespace
}  // namespace gamelan::engine::steps
