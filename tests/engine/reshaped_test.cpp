// SPDX-License-Identifier: BSD-3-Clause
// Views as boxes of arrays under other extents, against brute force: every element of a view that has a place
// lies where the array's layout says its bytes are.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/distribution/reshaped.hpp"
#include "tests/random.hpp"

namespace gamelan::engine::distribution {
namespace {

using protocol::Dtype;
using protocol::View;
using testing_random = gamelan::testing::Choices;

View view_of(const Shape& shape, Dtype dtype = Dtype::float64) { return protocol::whole(1, dtype, shape); }

/// The byte of an element in C order: its owner, and the offset in the owner's block.
std::pair<int, std::int64_t> place_of_byte(const Layout& layout, std::int64_t byte, std::size_t item) {
  const Shape extents = layout.extents();
  Shape index(extents.size());
  std::int64_t linear = byte / static_cast<std::int64_t>(item);
  for (std::size_t k = extents.size(); k-- > 0;) {
    index[k] = linear % extents[k];
    linear /= extents[k];
  }
  const auto piece = locate_element(layout, index, 0, item);
  return {piece.owner, piece.offset + byte % static_cast<std::int64_t>(item)};
}

void expect_same_bytes(const Layout& layout, Dtype dtype, const View& view, const Placement& placement) {
  const auto item = protocol::size_of(dtype);
  const auto count = protocol::element_count(view.extents);
  ASSERT_EQ(placement.iterations.extents(), view.extents);
  for (std::int64_t n = 0; n < count; ++n) {
    Shape index(view.extents.size());
    std::int64_t rest = n, byte = view.offset;
    for (std::size_t k = view.extents.size(); k-- > 0;) {
      index[k] = rest % view.extents[k];
      rest /= view.extents[k];
      byte += index[k] * view.strides[k];
    }
    const auto piece = locate(placement, index, 0);
    ASSERT_EQ(std::pair(piece.owner, piece.offset), place_of_byte(layout, byte, item))
        << describe(layout) << ", element " << n;
  }
}

/// Slices, turns and reverses a view.
View sliced(View view, testing_random& random) {
  for (std::size_t k = 0; k < view.extents.size(); ++k) {
    const auto first = random.below(static_cast<int>(std::min<std::int64_t>(view.extents[k], 3)));
    const auto step = 1 + random.below(3);
    view.offset += first * view.strides[k];
    view.extents[k] = (view.extents[k] - first + step - 1) / step;
    view.strides[k] *= step;
    if (random.chance(20)) {
      view.offset += (view.extents[k] - 1) * view.strides[k];
      view.strides[k] *= -1;
    }
  }
  if (view.extents.size() > 1 && random.chance(30)) {
    std::swap(view.extents[0], view.extents[1]);
    std::swap(view.strides[0], view.strides[1]);
  }
  return view;
}

/// A shape with the same number of elements: neighbours joined, axes split.
Shape another_shape(Shape shape, testing_random& random) {
  for (int turn = 0; turn < 3; ++turn) {
    const auto k = static_cast<std::size_t>(random.below(static_cast<int>(shape.size())));
    if (random.chance(50) && k + 1 < shape.size()) {
      shape[k] *= shape[k + 1];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    } else {
      for (const std::int64_t factor : {2, 3, 5, 7})
        if (shape[k] % factor == 0 && shape[k] > factor && random.chance(50)) {
          shape[k] /= factor;
          shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(k) + 1, factor);
          break;
        }
    }
  }
  return shape;
}

TEST(Reshaped, places_lie_where_the_bytes_are) {
  int placed = 0, placed_after = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    testing_random random(seed);
    Shape extents;
    for (int k = 1 + random.below(3); k > 0; --k)
      extents.push_back(random.pick<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 20, 30}));
    if (random.chance(30)) extents[0] *= 64;
    const int ranks = 1 + random.below(4);
    auto layout = default_layout(extents, ranks);
    if (layout.is_replicated) continue;
    const auto dtype = random.pick<Dtype>({Dtype::float64, Dtype::complex128, Dtype::float32});
    auto view = view_of(another_shape(extents, random), dtype);
    if (dtype == Dtype::complex128 && random.chance(50)) {  // .view(float)
      view = view_of(another_shape(extents, random), Dtype::float64);
      view.extents.back() *= 2;
      view = protocol::whole(1, Dtype::float64, view.extents);
    }
    if (random.chance(30) && view.extents[0] > 1) {  // the last rows left over, then in groups
      view.extents[0] = view.extents[0] / 2 * 2;
      const auto pairs = view.extents[0] / 2;
      view.extents.insert(view.extents.begin() + 1, 2);
      view.extents[0] = pairs;
      view.strides.insert(view.strides.begin() + 1, view.strides[0]);
      view.strides[0] *= 2;
    }
    if (random.chance(70)) view = sliced(view, random);
    if (const auto placement = place(layout, extents, dtype, view)) {
      ++placed;
      expect_same_bytes(layout, dtype, view, *placement);
    }
    if (const auto better = layout_for_looks(extents, dtype, {&view, 1}, ranks)) {
      const auto placement = place(*better, extents, dtype, view);
      ASSERT_TRUE(placement) << seed;
      ++placed_after;
      expect_same_bytes(*better, dtype, view, *placement);
    }
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(placed, 2000);
  EXPECT_GT(placed_after, 50);
}

TEST(Reshaped, pooling_moves_nothing_where_the_cuts_fit) {
  const Shape extents{840, 840};
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const auto layout = default_layout(extents, ranks);
    for (const Shape& shape : {Shape{420, 2, 420, 2}, Shape{840, 105, 8}, Shape{84, 10, 840}, Shape{705600}})
      EXPECT_TRUE(place(layout, extents, Dtype::float64, view_of(shape))) << ranks;
  }
}

TEST(Reshaped, a_layout_suits_all_looks) {
  const Shape extents{1400, 1400};  // on three ranks cut at 466 and 933
  const std::vector<View> views{view_of({700, 2, 700, 2}), view_of({280, 5, 1400})};
  EXPECT_FALSE(place(default_layout(extents, 3), extents, Dtype::float64, views[0]));
  const auto layout = layout_for_looks(extents, Dtype::float64, views, 3);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->axes[0].unit, 10);
  for (const auto& view : views) EXPECT_TRUE(place(*layout, extents, Dtype::float64, view));
}

TEST(Reshaped, a_row_of_three_is_not_cut_for_its_flat_form) {
  EXPECT_FALSE(can_be_cut_for({3, 1000000}, Dtype::float64, view_of({3000000})));
  EXPECT_TRUE(can_be_cut_for({1000000, 3}, Dtype::float64, view_of({3000000})));
  EXPECT_FALSE(layout_for_looks({3, 1000000}, Dtype::float64, std::vector{view_of({3000000})}, 2));
}

}  // namespace
}  // namespace gamelan::engine::distribution
