// SPDX-License-Identifier: BSD-3-Clause
// Layouts and pieces against brute force: every element has one owner, views of arrays lie where their
// elements lie, and the cells of a box name each element once, at its address in the owner's block.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>

#include "engine/distribution/grid.hpp"
#include "engine/distribution/pieces.hpp"

namespace gamelan::engine::distribution {
namespace {

using protocol::View;

Shape random_extents(std::mt19937& random) {
  std::uniform_int_distribution<int> dims(0, 4), extent(0, 9);
  Shape shape(static_cast<std::size_t>(dims(random)));
  for (auto& n : shape) n = extent(random);
  return shape;
}

template <class Visit>
void for_each(const Box& box, Visit visit) {
  if (is_empty(box)) return;
  Shape index;
  for (const auto& i : box) index.push_back(i.first);
  while (true) {
    visit(index);
    std::size_t k = box.size();
    while (k > 0 && ++index[k - 1] == box[k - 1].last) {
      --k;
      index[k] = box[k].first;
    }
    if (k == 0) return;
  }
}

Box whole_box(const Shape& extents) {
  Box box;
  for (const auto n : extents) box.push_back({0, n});
  return box;
}

/// Every element in exactly one rank's box, the one that owner() names; no block above the bound.
void expect_partition(const Layout& layout, int ranks) {
  std::map<Shape, int> owners;
  for (int r = 0; r < ranks; ++r) {
    if (!layout.takes_part(r)) continue;
    const Box box = layout.box(r);
    EXPECT_LE(volume(box), layout.largest_block());
    for_each(box, [&](const Shape& index) {
      EXPECT_TRUE(owners.emplace(index, r).second) << "two owners, " << describe(layout);
      EXPECT_EQ(layout.owner(index, r), r) << describe(layout);
    });
    if (layout.is_replicated) owners.clear();
  }
  if (!layout.is_replicated) {
    EXPECT_EQ(static_cast<std::int64_t>(owners.size()), protocol::element_count(layout.extents()))
        << describe(layout);
  }
}

/// A random chain of slices with any step, fixed indices, new axes and transposes of a whole array.
View random_view(const View& whole, std::mt19937& random) {
  View view = whole;
  for (int change = 0; change < 3; ++change) {
    for (std::size_t k = 0; k < view.extents.size();) {
      const auto n = view.extents[k];
      const int what = std::uniform_int_distribution<int>(0, 5)(random);
      if (what == 0 && n > 0) {
        view.offset += std::uniform_int_distribution<std::int64_t>(0, n - 1)(random) * view.strides[k];
        view.extents.erase(view.extents.begin() + static_cast<std::ptrdiff_t>(k));
        view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(k));
        continue;
      }
      if (what <= 2 && n > 0) {
        std::int64_t step = std::uniform_int_distribution<std::int64_t>(1, 3)(random);
        const auto first = std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
        const auto room = what == 1 ? n - first : first + 1;
        if (what == 2) step = -step;
        view.offset += first * view.strides[k];
        view.extents[k] = (room + std::abs(step) - 1) / std::abs(step);
        view.strides[k] *= step;
      }
      if (what == 3 && k + 1 < view.extents.size()) {
        std::swap(view.extents[k], view.extents[k + 1]);
        std::swap(view.strides[k], view.strides[k + 1]);
      }
      ++k;
    }
  }
  if (random() % 3 == 0) {
    view.extents.insert(view.extents.begin(), 2);  // broadcast
    view.strides.insert(view.strides.begin(), 0);
  }
  return view;
}

TEST(Layout, every_element_has_one_owner) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 400; ++trial) {
    const Shape extents = random_extents(random);
    for (const int ranks : {1, 2, 3, 4, 7, 12, 19, 61}) {
      const auto layout = default_layout(extents, ranks);
      EXPECT_EQ(layout.extents(), extents);
      expect_partition(layout, ranks);
    }
  }
}

TEST(Layout, work_is_even) {
  for (const int ranks : {2, 3, 4, 5, 7, 8, 16, 60}) {
    for (const Shape& extents :
         {Shape{4096, 4096}, Shape{1'000'000}, Shape{100, 200, 300}, Shape{7, 100'000}}) {
      const auto layout = default_layout(extents, ranks);
      const double ideal = static_cast<double>(protocol::element_count(extents)) / ranks;
      EXPECT_LT(static_cast<double>(layout.largest_block()) / ideal, 1.25) << describe(layout);
    }
  }
}

TEST(Layout, work_is_even_at_awkward_rank_counts) {
  for (const int ranks : {61, 67, 1021, 2 * 1021, 40'000, 49'152, 55'440, 65'521, 65'536}) {
    for (const Shape& extents : {Shape{1 << 20, 1 << 20}, Shape{20'000, 20'000, 20'000}, Shape(8, 50)}) {
      const auto layout = default_layout(extents, ranks);
      const double ideal = static_cast<double>(protocol::element_count(extents)) / ranks;
      EXPECT_LT(static_cast<double>(layout.largest_block()) / ideal, 1.6) << describe(layout);
      EXPECT_LE(layout.grid_size, ranks);
      EXPECT_GT(layout.grid_size, ranks - ranks / 16);
    }
  }
}

/// What choose_grid minimises, of a grid.
std::pair<double, double> cost_of(const std::vector<AxisLayout>& axes, const std::vector<int>& parts) {
  double block = 1, surface = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    auto axis = axes[k];
    axis.parts = parts[k];
    block *= static_cast<double>(axis.largest_interval());
    surface += (k + 1 == axes.size() && axes.size() > 1 ? 8.0 : 1.0) * (parts[k] - 1) /
               static_cast<double>(std::max<std::int64_t>(axis.extent, 1));
  }
  return {block, surface};
}

/// Calls visit(parts) for all ways to cut the axes from `k` on into `ranks` parts.
template <class Visit>
void for_each_grid(std::vector<int>& parts, std::size_t k, int ranks, Visit visit) {
  if (k + 1 == parts.size()) {
    parts[k] = ranks;
    return visit(parts);
  }
  for (int count = 1; count <= ranks; ++count) {
    if (ranks % count != 0) continue;
    parts[k] = count;
    for_each_grid(parts, k + 1, ranks / count, visit);
  }
}

TEST(Grid, is_the_best_of_all) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<AxisLayout> axes(1 + random() % 4);
    for (auto& axis : axes)
      axis.extent = axis.template_extent = std::uniform_int_distribution<std::int64_t>(2, 5000)(random);
    axes.back().unit = std::int64_t{1} << random() % 6;
    const int ranks = std::array{2, 12, 60, 64, 96, 128, 240, 720}[random() % 8];
    double smallest = 1e300, least_surface = 1e300;
    int grids = 0;
    std::vector<int> parts(axes.size());
    for_each_grid(parts, 0, ranks, [&](const auto& each) {
      smallest = std::min(smallest, cost_of(axes, each).first);
      ++grids;
    });
    for_each_grid(parts, 0, ranks, [&](const auto& each) {
      const auto [block, surface] = cost_of(axes, each);
      if ((block - smallest) * 16 < smallest) least_surface = std::min(least_surface, surface);
    });
    const auto chosen = choose_grid(axes, ranks);
    const auto [block, surface] = cost_of(axes, chosen);
    int product = 1;
    for (const int count : chosen) product *= count;
    EXPECT_EQ(product, ranks);
    // Where there are too many grids to try, the choice is a good one.
    const bool is_dealt = grids > 256;
    EXPECT_LT(block, smallest * (is_dealt ? 1.3 : 1.0626)) << ranks << " ranks, trial " << trial;
    EXPECT_LE(surface, least_surface * (is_dealt ? 1.5 : 1 + 1e-8)) << ranks << " ranks, trial " << trial;
  }
}

/// The model of docs/scaling.md computes with the same grids: tests/bench/test_model.py has these numbers,
/// too.
TEST(Grid, of_large_matrices) {
  const auto grid = [](std::int64_t n, int ranks) {
    const auto layout = default_layout({n, n}, ranks);
    return std::pair{layout.axes[0].parts, layout.axes[1].parts};
  };
  EXPECT_EQ(grid(4096, 64), (std::pair{64, 1}));
  EXPECT_EQ(grid(10'000, 2048), (std::pair{2048, 1}));
  EXPECT_EQ(grid(100'000, 4), (std::pair{4, 1}));
  EXPECT_EQ(grid(100'000, 64), (std::pair{16, 4}));
  EXPECT_EQ(grid(100'000, 2048), (std::pair{256, 8}));
  EXPECT_EQ(grid(200'000, 49'152), (std::pair{3072, 16}));
}

TEST(Grid, of_many_axes_is_found_at_once) {
  const auto start = std::chrono::steady_clock::now();
  for (int repeat = 0; repeat < 100; ++repeat) default_layout(Shape(32, 2), 65'536);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Layout, the_last_axis_is_cut_last) {
  EXPECT_EQ(default_layout({4096, 4096}, 4).axes[1].parts, 1);
  EXPECT_EQ(default_layout({700, 700}, 4).axes[0].parts, 4);
}

TEST(Layout, of_equal_axes_the_first_is_cut) {
  for (const int ranks : {2, 3, 5}) {
    EXPECT_EQ(default_layout({160, 160, 160}, ranks).axes[0].parts, ranks);
    EXPECT_EQ(default_layout({350, 350, 4}, ranks).axes[0].parts, ranks);
    EXPECT_EQ(default_layout({350, 4, 350, 4}, ranks).axes[0].parts, ranks);
  }
}

TEST(Layout, costs_nothing_at_many_ranks) {
  const auto layout = default_layout({1 << 20, 1 << 20}, 65536);
  EXPECT_EQ(layout.grid_size, 65536);
  EXPECT_EQ(layout.owner({(1 << 20) - 1, (1 << 20) - 1}, 0), 65535);
}

TEST(Pieces, views_lie_where_their_elements_lie) {
  std::mt19937 random(2);
  int axis_wise_views = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Shape extents = random_extents(random);
    const int ranks = std::array{1, 2, 3, 4, 6}[random() % 5];
    const auto base = default_layout(extents, ranks);
    const View whole = protocol::whole(1, protocol::Dtype::float64, extents);
    const View view = random_view(whole, random);
    const auto map = protocol::axis_wise(view, extents, protocol::Dtype::float64);
    ASSERT_TRUE(map.has_value());
    ++axis_wise_views;
    const auto placement = place(base, {*map, 0}, view.extents, 8);
    // Broadcast axes have several positions per element, so owners are compared by element.
    const Placement* operand = &placement;
    const int self = 0;
    std::int64_t seen = 0;
    for_each_cell(whole_box(view.extents), {&operand, 1}, self,
                  [&](const Box& cell, std::span<const Piece> pieces) {
                    for_each(cell, [&](const Shape& index) {
                      ++seen;
                      std::int64_t address = view.offset, local = pieces[0].offset;
                      for (std::size_t k = 0; k < index.size(); ++k) {
                        address += index[k] * view.strides[k];
                        local += (index[k] - cell[k].first) * pieces[0].strides[k];
                      }
                      Shape element(extents.size());
                      auto linear = address / 8;
                      for (std::size_t k = extents.size(); k-- > 0;) {
                        element[k] = linear % extents[k];
                        linear /= extents[k];
                      }
                      const auto expected = locate_element(base, element, self, 8);
                      EXPECT_EQ(pieces[0].owner, expected.owner);
                      EXPECT_EQ(local, expected.offset);
                      EXPECT_EQ(placement.iterations.owner(index, self), expected.owner);
                    });
                  });
    EXPECT_EQ(seen, protocol::element_count(view.extents));
  }
  EXPECT_GT(axis_wise_views, 1000);
}

TEST(Pieces, arrays_made_from_views_are_partitions_too) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 600; ++trial) {
    const Shape extents = random_extents(random);
    const int ranks = std::array{2, 3, 4, 6}[random() % 4];
    const View view = random_view(protocol::whole(1, protocol::Dtype::int8, extents), random);
    const auto map = protocol::axis_wise(view, extents, protocol::Dtype::int8);
    ASSERT_TRUE(map.has_value());
    const auto layout = layout_of_view(default_layout(extents, ranks), *map, view.extents);
    expect_partition(layout, ranks);
  }
}

TEST(Boxes, a_hole_and_the_slabs_around_it_are_the_box) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> end(-2, 7);
  for (int round = 0; round < 500; ++round) {
    Box box, hole;
    for (int k = 0; k < 1 + round % 3; ++k) {
      const auto [first, last] = std::minmax({end(random), end(random)});
      box.push_back({first, last});
      hole.push_back({end(random), end(random)});  // empty ones are described in many ways
    }
    std::map<Shape, int> visits;
    for_each(intersection(box, hole), [&](const Shape& index) { ++visits[index]; });
    for_each_slab(box, hole,
                  [&](const Box& slab) { for_each(slab, [&](const Shape& index) { ++visits[index]; }); });
    EXPECT_EQ(std::ssize(visits), volume(box));
    for_each(box, [&](const Shape& index) { EXPECT_EQ(visits[index], 1); });
  }
}

TEST(Layout, reduction_blocks_beyond_the_end_have_an_owner) {
  auto layout = default_layout({1000}, 3);
  auto& axis = layout.axes[0];
  axis.start += axis.step * 15;  // reduction blocks of 16, named by their last element
  axis.step *= 16;
  axis.extent = (1000 + 15) / 16;
  expect_partition(layout, 3);
}

}  // namespace
}  // namespace gamelan::engine::distribution
