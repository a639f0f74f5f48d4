// SPDX-License-Identifier: BSD-3-Clause
// Blocks dealt out over grids: every element has one place, and ranks have as many as they say.
#include "engine/distribution/cyclic.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace gamelan::engine::distribution {
namespace {

TEST(Cyclic, grid_is_nearly_square) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    const auto blocks = cyclic(10, 10, 2, ranks);
    EXPECT_LE(blocks.ranks(), ranks);
    EXPECT_LE(blocks.grid_rows, blocks.grid_columns);
    EXPECT_GE(blocks.ranks() * 4, ranks * 3) << ranks;
    EXPECT_FALSE(blocks.takes_part(blocks.ranks()));
  }
}

TEST(Cyclic, every_element_has_one_place) {
  for (const int ranks : {1, 2, 3, 4, 7, 12})
    for (const std::int64_t rows : {1, 2, 5, 12, 13})
      for (const std::int64_t columns : {1, 4, 9})
        for (const std::int64_t block : {1, 2, 3, 64}) {
          const auto blocks = cyclic(rows, columns, block, ranks);
          std::set<std::tuple<int, std::int64_t>> places;
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
              const int owner = blocks.owner(i / block, j / block);
              const auto row = i / block / blocks.grid_rows * block + i % block,
                         column = j / block / blocks.grid_columns * block + j % block;
              EXPECT_TRUE(blocks.takes_part(owner));
              EXPECT_LT(row, blocks.local_rows(owner));
              EXPECT_LT(column, blocks.local_columns(owner));
              EXPECT_TRUE(places.insert({owner, row + column * blocks.leading(owner)}).second);
            }
          std::int64_t elements = 0;
          for (int rank = 0; rank < blocks.ranks(); ++rank) {
            const auto own = blocks.local_rows(rank) * blocks.local_columns(rank);
            EXPECT_LE(own, blocks.largest());
            elements += own;
          }
          EXPECT_EQ(elements, rows * columns);
        }
}

}  // namespace
}  // namespace gamelan::engine::distribution
