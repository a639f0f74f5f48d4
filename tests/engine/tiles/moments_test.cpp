// SPDX-License-Identifier: BSD-3-Clause
// Moments against sums in long double: values of one size far from 0, parts of any length and order, and what
// is not finite.
#include "engine/tiles/loops/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "protocol/error.hpp"
#include "tests/engine/tiles/every_dtype.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;

std::vector<double> random_numbers(std::mt19937& random, std::size_t count, double offset) {
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (auto& value : values) value = offset + normal(random);
  return values;
}

double exact(const std::vector<double>& values) {
  long double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const long double mean = sum / static_cast<long double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return static_cast<double>(squares);
}

/// The squared deviations of values in parts of these lengths.
double in_parts(const std::vector<double>& values, const std::vector<std::size_t>& lengths) {
  std::vector<double> records;
  std::size_t first = 0;
  for (const auto length : lengths) {
    double record[moment_parts];
    moments_of_runs(Dtype::float64, values.data() + first, 1, static_cast<std::int64_t>(length), record);
    records.insert(records.end(), record, record + moment_parts);
    first += length;
  }
  merge_moments(records.data(), static_cast<std::int64_t>(lengths.size()), 1);
  double result = 0;
  squared_deviations_of(records.data(), 1, &result);
  return result;
}

void expect_near(double found, double expected) {
  EXPECT_NEAR(found, expected, 1e-13 * std::abs(expected)) << name(isa());
}

TEST(Moments, an_offset_costs_no_digits) {
  const LevelGuard guard;
  std::mt19937 random(5);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const double offset : {0.0, 1.0, 1e4, 1e8, -1e8}) {
      for (const std::size_t length : {1U, 2U, 15U, 16U, 17U, 31U, 32U, 33U, 100U, 2048U, 4097U}) {
        const auto values = random_numbers(random, length, offset);
        expect_near(in_parts(values, {length}), exact(values));
      }
      const auto values = random_numbers(random, 3000, offset);
      expect_near(in_parts(values, {1000, 1000, 1000}), exact(values));
      expect_near(in_parts(values, {1, 7, 2048, 900, 44}), exact(values));
      expect_near(in_parts(values, std::vector<std::size_t>(3000, 1)), exact(values));
    }
  }
}

TEST(Moments, parts_far_from_each_other_are_merged) {
  std::mt19937 random(6);
  auto values = random_numbers(random, 500, 1e8);
  const auto others = random_numbers(random, 500, -3.0);
  values.insert(values.end(), others.begin(), others.end());
  expect_near(in_parts(values, {500, 500}), exact(values));
}

TEST(Moments, columns_have_the_moments_of_their_values) {
  const LevelGuard guard;
  std::mt19937 random(7);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const std::int64_t columns : {1, 3, 15, 16, 17, 40}) {
      constexpr std::int64_t rows = 37;
      const auto values = random_numbers(random, static_cast<std::size_t>(rows * columns), 1e8);
      std::vector<const std::byte*> addresses;
      for (std::int64_t row = 0; row < rows; ++row)
        addresses.push_back(reinterpret_cast<const std::byte*>(values.data() + row * columns));
      std::vector<double> record(static_cast<std::size_t>(moment_parts * columns));
      moments_of_columns(Dtype::float64, addresses.data(), rows, columns, record.data());
      EXPECT_EQ(record[0], rows);
      squared_deviations_of(record.data(), columns, record.data());
      for (std::int64_t column = 0; column < columns; ++column) {
        std::vector<double> of_column;
        for (std::int64_t row = 0; row < rows; ++row)
          of_column.push_back(values[static_cast<std::size_t>(row * columns + column)]);
        expect_near(record[static_cast<std::size_t>(column)], exact(of_column));
      }
    }
  }
}

TEST(Moments, levels_agree_in_every_bit) {
  const LevelGuard guard;
  std::mt19937 random(8);
  const auto values = random_numbers(random, 3001, 1e3);
  std::vector<double> expected;
  for (const Isa level : levels_here()) {
    set_isa(level);
    std::vector<double> found(3 * moment_parts);
    moments_of_runs(Dtype::float64, values.data(), 3, 1000, found.data());
    merge_moments(found.data(), 3, 1);
    if (expected.empty()) expected = found;
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), sizeof(double) * moment_parts), 0) << name(level);
  }
}

TEST(Moments, equal_values_do_not_deviate) {
  for (const double value : {0.1, 1e8 + 0.3, -1e-300})
    EXPECT_EQ(in_parts(std::vector<double>(1000, value), {300, 700}), 0) << value;
}

TEST(Moments, what_is_not_finite_is_as_in_two_passes) {
  std::mt19937 random(9);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t at : {0U, 350U, 999U}) {
    auto values = random_numbers(random, 1000, 0);
    values[at] = 1e200;
    EXPECT_EQ(in_parts(values, {300, 700}), infinity);
    for (const double special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      values[at] = special;
      EXPECT_TRUE(std::isnan(in_parts(values, {300, 700}))) << special;
    }
  }
  EXPECT_EQ(in_parts({1.7e308, 1.7e308, 1, 2}, {2, 2}), infinity);
  EXPECT_EQ(in_parts({1.7e308, -1.7e308}, {1, 1}), infinity);
}

TEST(Moments, other_dtypes_are_refused) {
  double record[moment_parts];
  const std::int64_t value = 1;
  EXPECT_THROW(moments_of_runs(Dtype::int64, &value, 1, 1, record), protocol::Error);
}

}  // namespace
}  // namespace gamelan::engine::tiles
