// SPDX-License-Identifier: BSD-3-Clause
// Random chains of views against brute force: every answer is compared with one got from the list of all
// addresses.
#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/error.hpp"
#include "random_views.hpp"

namespace gamelan::protocol {
namespace {

using test::addresses;
using test::Random;
using test::random_chain;
using test::random_extents;
using test::touched_bytes;

constexpr std::array some_dtypes{Dtype::int8, Dtype::float32, Dtype::float64, Dtype::complex128};

View random_base(Random& random, std::int64_t least_extent = 0) {
  return whole(1, some_dtypes[static_cast<std::size_t>(random.number(0, 3))],
               random_extents(random, least_extent));
}

/// Addresses as the axis-wise form gives them: an index on every base axis, then C order.
std::vector<std::int64_t> addresses_of(const AxisWise& form, const View& view, const View& base) {
  View rebuilt = view;
  rebuilt.offset = 0;
  for (std::size_t axis = 0; axis < base.extents.size(); ++axis) {
    rebuilt.offset += form.fixed[axis] * base.strides[axis];
  }
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
    const AxisMap& map = form.axes[axis];
    rebuilt.strides[axis] =
        map.base_axis < 0 ? 0 : map.step * base.strides[static_cast<std::size_t>(map.base_axis)];
  }
  return addresses(rebuilt);
}

bool is_inside(const AxisWise& form, const View& view, const View& base) {
  for (std::size_t axis = 0; axis < base.extents.size(); ++axis) {
    if (form.fixed[axis] < 0 || form.fixed[axis] >= base.extents[axis]) return false;
  }
  for (std::size_t axis = 0; axis < view.extents.size(); ++axis) {
    const AxisMap& map = form.axes[axis];
    if (map.base_axis < 0) continue;
    const auto owned = static_cast<std::size_t>(map.base_axis);
    const std::int64_t last = map.start + map.step * (view.extents[axis] - 1);
    if (form.fixed[owned] != map.start || last < 0 || last >= base.extents[owned]) return false;
  }
  return true;
}

bool uses_an_axis_twice(const AxisWise& form) {
  std::set<int> owned;
  return std::any_of(form.axes.begin(), form.axes.end(), [&](const AxisMap& map) {
    return map.base_axis >= 0 && !owned.insert(map.base_axis).second;
  });
}

TEST(ViewProperty, every_chain_of_basic_operations_is_axis_wise) {
  Random random;
  SCOPED_TRACE(random.seed());
  for (int round = 0; round < 10'000; ++round) {
    const View base = random_base(random);
    const View view = random_chain(random, base);
    const auto form = axis_wise(view, base.extents, base.dtype);
    ASSERT_TRUE(form.has_value()) << "round " << round;
    ASSERT_EQ(form->axes.size(), view.extents.size());
    ASSERT_EQ(form->fixed.size(), base.extents.size());
    ASSERT_FALSE(uses_an_axis_twice(*form));
    if (element_count(view.extents) == 0) continue;
    ASSERT_TRUE(is_inside(*form, view, base)) << "round " << round;
    ASSERT_EQ(addresses_of(*form, view, base), addresses(view)) << "round " << round;
  }
}

TEST(ViewProperty, a_form_of_any_strides_is_right_where_it_is_given) {
  Random random;
  SCOPED_TRACE(random.seed());
  int forms = 0, none = 0;
  for (int round = 0; round < 20'000; ++round) {
    const View base = random_base(random, 1);
    View view{1, base.dtype, 0, random_extents(random, 1), {}};
    const auto item = static_cast<std::int64_t>(size_of(base.dtype));
    view.offset = item * random.number(0, element_count(base.extents) - 1);
    for (std::size_t axis = 0; axis < view.extents.size(); ++axis)
      view.strides.push_back(item * random.number(-8, 8));
    const auto form = axis_wise(view, base.extents, base.dtype);
    ++(form ? forms : none);
    if (!form) continue;
    ASSERT_FALSE(uses_an_axis_twice(*form));
    ASSERT_TRUE(is_inside(*form, view, base)) << "round " << round;
    ASSERT_EQ(addresses_of(*form, view, base), addresses(view)) << "round " << round;
  }
  EXPECT_GT(forms, 500);
  EXPECT_GT(none, 500);
}

TEST(ViewProperty, range_contiguity_and_validity_are_those_of_the_addresses) {
  Random random;
  SCOPED_TRACE(random.seed());
  for (int round = 0; round < 10'000; ++round) {
    const View base = random_base(random);
    const View view = random_chain(random, base);
    const auto found = addresses(view);
    const auto item = static_cast<std::int64_t>(size_of(view.dtype));
    bool is_consecutive = true;
    for (std::size_t at = 1; at < found.size(); ++at) is_consecutive &= found[at] == found[at - 1] + item;
    ASSERT_EQ(is_contiguous(view), is_consecutive) << "round " << round;
    ASSERT_EQ(element_count(view.extents), static_cast<std::int64_t>(found.size()));
    if (found.empty()) continue;
    const auto [low, high] = std::minmax_element(found.begin(), found.end());
    const ByteRange range = byte_range(view);
    ASSERT_EQ(range.first, *low);
    ASSERT_EQ(range.last, *high + item);
    validate(view, range.last, false);
    ASSERT_THROW(validate(view, range.last - 1, false), Error);
    View shifted = view;
    shifted.offset -= range.first + 1;
    ASSERT_THROW(validate(shifted, range.last, false), Error);
  }
}

/// Counts both answers, so that a test cannot pass by always seeing the same one.
struct Tally {
  int shared = 0, apart = 0, alarms = 0;
  void compare(const View& left, const View& right) {
    const auto left_bytes = touched_bytes(left);
    const auto right_bytes = touched_bytes(right);
    const bool is_shared = std::any_of(left_bytes.begin(), left_bytes.end(),
                                       [&](std::int64_t byte) { return right_bytes.count(byte) != 0; });
    const bool answer = may_overlap(left, right);
    ASSERT_TRUE(answer || !is_shared) << "a shared byte was missed";
    ASSERT_EQ(answer, may_overlap(right, left));
    ++(is_shared ? shared : apart);
    alarms += answer && !is_shared ? 1 : 0;
  }
};

TEST(ViewProperty, overlap_is_never_missed_for_any_strides) {
  Random random;
  SCOPED_TRACE(random.seed());
  Tally tally;
  for (int round = 0; round < 10'000; ++round) {
    const auto random_view = [&] {
      View view{1, some_dtypes[static_cast<std::size_t>(random.number(0, 3))], random.number(0, 60), {}, {}};
      view.extents.resize(static_cast<std::size_t>(random.number(0, 3)));
      for (auto& extent : view.extents) extent = random.number(0, 5);
      for (std::size_t axis = 0; axis < view.extents.size(); ++axis)
        view.strides.push_back(random.number(-40, 40));
      return view;
    };
    ASSERT_NO_FATAL_FAILURE(tally.compare(random_view(), random_view())) << "round " << round;
  }
  EXPECT_GT(tally.shared, 500);
  EXPECT_GT(tally.apart, 500);
}

TEST(ViewProperty, overlap_is_exact_for_chains_of_one_array) {
  Random random;
  SCOPED_TRACE(random.seed());
  Tally tally;
  for (int round = 0; round < 10'000; ++round) {
    const View base = random_base(random);
    ASSERT_NO_FATAL_FAILURE(tally.compare(random_chain(random, base), random_chain(random, base)))
        << "round " << round;
  }
  EXPECT_EQ(tally.alarms, 0);
  EXPECT_GT(tally.shared, 500);
  EXPECT_GT(tally.apart, 500);
}

TEST(ViewProperty, same_elements_is_equality_of_addresses) {
  Random random;
  SCOPED_TRACE(random.seed());
  int same = 0;
  for (int round = 0; round < 20'000; ++round) {
    const View base = random_base(random);
    const View left = random_chain(random, base);
    View right = random.chance(50) ? random_chain(random, base) : left;
    for (std::size_t axis = 0; axis < right.extents.size(); ++axis) {
      if (right.extents[axis] == 1) right.strides[axis] = random.number(-99, 99);
    }
    const bool expected = left.extents == right.extents && addresses(left) == addresses(right);
    ASSERT_EQ(same_elements(left, right), expected) << "round " << round;
    same += expected ? 1 : 0;
  }
  EXPECT_GT(same, 5'000);
}

}  // namespace
}  // namespace gamelan::protocol
