// SPDX-License-Identifier: BSD-3-Clause
// Views case by case. Random chains are in view_property_test.cpp (against brute force) and view_test.py
// (NumPy).
#include "protocol/view.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "protocol/error.hpp"

namespace gamelan::protocol {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

View float64_view(std::int64_t offset, Shape extents, Shape strides) {
  return {1, Dtype::float64, offset, std::move(extents), std::move(strides)};
}

ErrorKind kind_of(const View& view, std::int64_t base_bytes, bool is_writable) {
  try {
    validate(view, base_bytes, is_writable);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;  // stands for "accepted"
}
#define EXPECT_REFUSED(view, base_bytes, is_writable) \
  EXPECT_EQ(kind_of(view, base_bytes, is_writable), ErrorKind::protocol)
#define EXPECT_ACCEPTED(view, base_bytes, is_writable) \
  EXPECT_EQ(kind_of(view, base_bytes, is_writable), ErrorKind::internal)

TEST(View, whole_array_is_contiguous_from_0) {
  const View view = whole(7, Dtype::float32, {2, 3, 4});
  EXPECT_EQ(view.base, 7U);
  EXPECT_EQ(view.offset, 0);
  EXPECT_EQ(view.strides, (Shape{48, 16, 4}));
  EXPECT_TRUE(is_contiguous(view));
  EXPECT_EQ(byte_range(view).last, 96);
  EXPECT_EQ(element_count(view.extents), 24);
}

TEST(View, zero_dimensions_are_one_element) {
  const View view = whole(1, Dtype::complex128, {});
  EXPECT_EQ(element_count(view.extents), 1);
  EXPECT_EQ(byte_range(view).last, 16);
  EXPECT_TRUE(is_contiguous(view));
  EXPECT_TRUE(may_overlap(view, view));
  const auto form = axis_wise(view, {}, Dtype::complex128);
  ASSERT_TRUE(form.has_value());
  EXPECT_TRUE(form->axes.empty());
  EXPECT_TRUE(form->fixed.empty());
}

TEST(View, contiguity_ignores_axes_of_one_and_empty_views) {
  EXPECT_TRUE(is_contiguous(float64_view(0, {1, 4}, {-999, 8})));
  EXPECT_TRUE(is_contiguous(float64_view(0, {0, 4}, {1, 2})));
  EXPECT_FALSE(is_contiguous(float64_view(0, {4}, {16})));
  EXPECT_FALSE(is_contiguous(float64_view(24, {4}, {-8})));
  EXPECT_FALSE(is_contiguous(float64_view(0, {4}, {0})));
}

TEST(View, byte_range_of_a_reversed_view) {
  const ByteRange range = byte_range(float64_view(72, {10}, {-8}));
  EXPECT_EQ(range.first, 0);
  EXPECT_EQ(range.last, 80);
  EXPECT_EQ(byte_range(float64_view(40, {0}, {8})).last, 40);
}

TEST(View, even_and_odd_elements_do_not_overlap) {
  const View even = float64_view(0, {5}, {16});
  const View odd = float64_view(8, {5}, {16});
  const View reversed_odd = float64_view(72, {5}, {-16});
  EXPECT_FALSE(may_overlap(even, odd));
  EXPECT_FALSE(may_overlap(even, reversed_odd));
  EXPECT_TRUE(may_overlap(odd, reversed_odd));
}

TEST(View, columns_do_not_overlap_although_their_ranges_do) {
  const View left = float64_view(0, {100, 3}, {80, 8});
  const View right = float64_view(24, {100, 3}, {80, 8});
  const View middle = float64_view(16, {100, 3}, {80, 8});
  EXPECT_FALSE(may_overlap(left, right));
  EXPECT_TRUE(may_overlap(left, middle));
}

TEST(View, real_and_imaginary_parts_do_not_overlap) {
  const View real = float64_view(0, {9}, {16});
  const View imaginary = float64_view(8, {9}, {16});
  const View both = whole(1, Dtype::complex128, {9});
  EXPECT_FALSE(may_overlap(real, imaginary));
  EXPECT_TRUE(may_overlap(both, imaginary));
}

TEST(View, other_bases_and_empty_views_never_overlap) {
  EXPECT_FALSE(may_overlap(whole(1, Dtype::int8, {4}), whole(2, Dtype::int8, {4})));
  EXPECT_FALSE(may_overlap(whole(1, Dtype::int8, {4}), float64_view(0, {0}, {8})));
}

TEST(View, overlap_of_many_axes_is_quick_and_exact) {
  // 20 axes of 2 with every second element of the last: two views that interleave without touching.
  Shape extents(20, 2);
  View left = whole(1, Dtype::int64, extents);
  left.extents.back() = 1;
  View right = left;
  right.offset = 8;
  EXPECT_FALSE(may_overlap(left, right));
  right.offset = 16;
  right.extents[18] = 1;
  EXPECT_TRUE(may_overlap(left, right));
}

TEST(View, hard_overlap_questions_get_a_careful_yes) {
  // Strides without a common structure: deciding exactly is a knapsack; the answer must come at once and be
  // safe.
  Shape extents(32, 50), left_strides, right_strides;
  for (std::int64_t axis = 0; axis < 32; ++axis) {
    left_strides.push_back(1'000'003 + 7'919 * axis);
    right_strides.push_back(1'000'033 + 6'101 * axis);
  }
  const View left{1, Dtype::int8, 0, extents, left_strides};
  const View right{1, Dtype::int8, 12'345, extents, right_strides};
  EXPECT_TRUE(may_overlap(left, right));
}

TEST(View, same_elements_ignores_strides_of_one) {
  EXPECT_TRUE(same_elements(float64_view(8, {1, 3}, {24, 8}), float64_view(8, {1, 3}, {8, 8})));
  EXPECT_FALSE(same_elements(float64_view(8, {1, 3}, {24, 8}), float64_view(0, {1, 3}, {24, 8})));
  EXPECT_FALSE(same_elements(float64_view(8, {3}, {8}), float64_view(24, {3}, {-8})));
  EXPECT_FALSE(same_elements(float64_view(8, {3}, {8}), float64_view(8, {3, 1}, {8, 8})));
  EXPECT_FALSE(same_elements(whole(1, Dtype::int64, {3}), whole(1, Dtype::float64, {3})));
  EXPECT_TRUE(same_elements(float64_view(8, {0, 3}, {24, 8}), float64_view(16, {0, 3}, {8, 8})));
}

TEST(View, validate_accepts_exactly_the_base) {
  EXPECT_ACCEPTED(float64_view(0, {10}, {8}), 80, true);
  EXPECT_ACCEPTED(float64_view(72, {10}, {-8}), 80, true);
  EXPECT_REFUSED(float64_view(0, {10}, {8}), 79, false);
  EXPECT_REFUSED(float64_view(64, {10}, {-8}), 80, false);
  EXPECT_REFUSED(float64_view(-8, {1}, {8}), 80, false);
  EXPECT_REFUSED(float64_view(80, {}, {}), 80, false);
  EXPECT_ACCEPTED(float64_view(72, {}, {}), 80, false);
  EXPECT_ACCEPTED(float64_view(8, {0, 1}, {24, 8}), 0, true);
}

TEST(View, validate_refuses_impossible_shapes) {
  EXPECT_REFUSED(float64_view(0, {-1}, {8}), huge, false);
  EXPECT_REFUSED(float64_view(0, {2, 2}, {8}), huge, false);
  EXPECT_REFUSED(float64_view(0, Shape(33, 1), Shape(33, 8)), huge, false);
  EXPECT_ACCEPTED(float64_view(0, Shape(32, 1), Shape(32, 8)), 8, false);
}

TEST(View, validate_refuses_what_overflows) {
  EXPECT_REFUSED(float64_view(0, {huge, huge}, {0, 0}), huge, false);
  EXPECT_REFUSED(float64_view(0, {0, huge, huge}, {0, 0, 0}), huge, false);
  EXPECT_REFUSED(float64_view(0, {3}, {huge}), huge, false);
  EXPECT_REFUSED(float64_view(0, {3}, {std::numeric_limits<std::int64_t>::min()}), huge, false);
  EXPECT_REFUSED(float64_view(huge - 4, {1}, {8}), huge, false);
  EXPECT_REFUSED(float64_view(0, {2, 2}, {huge - 8, huge - 8}), huge, false);
}

TEST(View, validate_refuses_writing_an_element_twice) {
  EXPECT_ACCEPTED(float64_view(0, {3}, {0}), 8, false);
  EXPECT_REFUSED(float64_view(0, {3}, {0}), 8, true);
  EXPECT_ACCEPTED(float64_view(0, {1}, {0}), 8, true);
  EXPECT_REFUSED(float64_view(0, {3}, {4}), 80, true);
  EXPECT_REFUSED(float64_view(16, {3}, {-4}), 80, true);
}

TEST(AxisWise, says_where_every_axis_moves) {
  // base (4, 5, 6); view = base[3, ::-2, None, 1:5].T: extents (4, 1, 3)
  const std::int64_t row = 48, plane = 240;
  const View view = float64_view(3 * plane + 4 * row + 8, {4, 1, 3}, {8, 0, -2 * row});
  const auto form = axis_wise(view, {4, 5, 6}, Dtype::float64);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->axes[0].base_axis, 2);
  EXPECT_EQ(form->axes[0].start, 1);
  EXPECT_EQ(form->axes[0].step, 1);
  EXPECT_EQ(form->axes[1].base_axis, -1);
  EXPECT_EQ(form->axes[2].base_axis, 1);
  EXPECT_EQ(form->axes[2].start, 4);
  EXPECT_EQ(form->axes[2].step, -2);
  EXPECT_EQ(form->fixed, (Shape{3, 4, 1}));
}

TEST(AxisWise, axes_of_one_and_broadcast_axes_do_not_move) {
  const auto form = axis_wise(float64_view(16, {1, 7, 2}, {-999, 0, 8}), {1, 4}, Dtype::float64);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->axes[0].base_axis, -1);
  EXPECT_EQ(form->axes[1].base_axis, -1);
  EXPECT_EQ(form->axes[2].base_axis, 1);
  EXPECT_EQ(form->fixed, (Shape{0, 2}));
}

TEST(AxisWise, a_step_across_a_short_axis_is_taken_on_the_longer_one) {
  // base (4, 1, 2): stride 16 is a step of the first axis; the axis of one shares that stride but cannot hold
  // it.
  const auto form = axis_wise(float64_view(0, {4}, {16}), {4, 1, 2}, Dtype::float64);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->axes[0].base_axis, 0);
}

TEST(AxisWise, none_for_a_diagonal) {
  EXPECT_FALSE(axis_wise(float64_view(0, {4}, {40}), {4, 4}, Dtype::float64).has_value());
}

TEST(AxisWise, none_for_a_ravel_across_rows_one_within_a_row) {
  EXPECT_FALSE(axis_wise(float64_view(0, {20}, {8}), {4, 5}, Dtype::float64).has_value());
  EXPECT_FALSE(axis_wise(float64_view(32, {2}, {8}), {4, 5}, Dtype::float64).has_value());
  EXPECT_TRUE(axis_wise(float64_view(40, {5}, {8}), {4, 5}, Dtype::float64).has_value());
  EXPECT_TRUE(axis_wise(float64_view(72, {5}, {-8}), {4, 5}, Dtype::float64).has_value());
}

TEST(AxisWise, none_when_two_axes_move_along_one) {
  EXPECT_FALSE(axis_wise(float64_view(0, {3, 3}, {8, 8}), {9}, Dtype::float64).has_value());
  EXPECT_FALSE(axis_wise(float64_view(0, {3, 3}, {24, 8}), {9}, Dtype::float64).has_value());
}

TEST(AxisWise, none_for_parts_of_elements) {
  EXPECT_FALSE(axis_wise(float64_view(8, {3}, {16}), {3}, Dtype::complex128).has_value());
  EXPECT_FALSE(axis_wise(float64_view(4, {2}, {8}), {3}, Dtype::float64).has_value());
  EXPECT_FALSE(axis_wise(float64_view(0, {2}, {12}), {3}, Dtype::float64).has_value());
  View as_integers = float64_view(0, {3}, {8});
  as_integers.dtype = Dtype::int64;
  EXPECT_TRUE(axis_wise(as_integers, {3}, Dtype::float64).has_value());
}

TEST(AxisWise, of_an_empty_view_or_base) {
  const auto form = axis_wise(float64_view(8, {0, 3}, {24, 8}), {0, 3}, Dtype::float64);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->axes.size(), 2U);
  EXPECT_EQ(form->fixed.size(), 2U);
  EXPECT_FALSE(axis_wise(float64_view(0, {1}, {8}), {0, 3}, Dtype::float64).has_value());
}

TEST(AxisWise, none_beyond_the_base) {
  EXPECT_FALSE(axis_wise(float64_view(24, {}, {}), {3}, Dtype::float64).has_value());
  EXPECT_FALSE(axis_wise(float64_view(-8, {}, {}), {3}, Dtype::float64).has_value());
  EXPECT_FALSE(axis_wise(float64_view(8, {3}, {8}), {3}, Dtype::float64).has_value());
}

}  // namespace
}  // namespace gamelan::protocol
