// SPDX-License-Identifier: BSD-3-Clause
// Folds against the order of operations that fold.hpp promises, written out plainly here with the binary
// loops.
#include "engine/tiles/loops/fold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "protocol/error.hpp"
#include "tests/engine/tiles/every_dtype.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::Op;

constexpr std::array fold_ops{Op::add,        Op::multiply,    Op::maximum,    Op::minimum,
                              Op::fmax,       Op::fmin,        Op::logical_or, Op::logical_and,
                              Op::bitwise_or, Op::bitwise_and, Op::bitwise_xor};

template <class Visit>
void for_each_fold(const Visit& visit) {
  for (const Op op : fold_ops) {
    for (const Dtype dtype : all_dtypes) {
      if (!can_fold(op, dtype)) continue;
      SCOPED_TRACE(std::string(protocol::info(op).name) + " " + std::string(protocol::info(dtype).name) +
                   " " + std::string(name(isa())));
      visit(op, dtype);
    }
  }
}

/// acc = acc op value, one element.
void combine(Op op, Dtype dtype, std::byte* acc, const std::byte* value) {
  const void* in[] = {acc, value};
  std::array<std::byte, 16> result;
  find_loop(op, dtype)(in, result.data(), 1, nullptr);
  std::memcpy(acc, result.data(), protocol::size_of(dtype));
}

Buffer lanes_and_tree(Op op, Dtype dtype, const std::byte* values, std::size_t length) {
  const std::size_t item = protocol::size_of(dtype), filled = std::min<std::size_t>(length, 32);
  Buffer lanes(values, values + filled * item);
  for (std::size_t i = filled; i < length; ++i) combine(op, dtype, &lanes[i % 32 * item], values + i * item);
  for (std::size_t half = 16; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half && j + half < filled; ++j) {
      combine(op, dtype, &lanes[j * item], &lanes[(j + half) * item]);
    }
  }
  lanes.resize(item);
  return lanes;
}

TEST(Fold, runs_use_the_promised_order) {
  const LevelGuard guard;
  std::mt19937 random(4);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for_each_fold([&](Op op, Dtype dtype) {
      if (dtype == Dtype::float16 && (op == Op::add || op == Op::multiply))
        return;  // accumulates in float, see below
      const std::size_t item = protocol::size_of(dtype);
      for (const std::size_t length :
           {1U, 2U, 3U, 4U, 7U, 8U, 31U, 32U, 33U, 34U, 39U, 44U, 63U, 64U, 1000U, 1024U, 1025U}) {
        const std::size_t runs = length <= 64 ? 69 : 7;  // many are folded side by side: four, or short ones
        const Buffer values = random_values(random, dtype, runs * length, -1.5, 1.6);
        Buffer out(runs * item);
        for (const Streams streams : {Streams::one, Streams::four}) {
          find_fold_runs(op, dtype, streams)(values.data(), static_cast<std::int64_t>(runs),
                                             static_cast<std::int64_t>(length), out.data());
          for (std::size_t run = 0; run < runs; ++run) {
            const Buffer expected = lanes_and_tree(op, dtype, values.data() + run * length * item, length);
            ASSERT_EQ(std::memcmp(&out[run * item], expected.data(), item), 0)
                << "run " << run << " of " << length << (streams == Streams::one ? " in turn" : "");
          }
        }
      }
    });
  }
}

TEST(Fold, products_have_the_bits_of_their_sums) {
  const LevelGuard guard;
  std::mt19937 random(6);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
      const std::size_t item = protocol::size_of(dtype);
      for (const std::size_t length : {1U, 5U, 31U, 32U, 33U, 100U, 1024U, 1025U}) {
        constexpr std::size_t runs = 7;
        const auto all = static_cast<std::int64_t>(runs * length), one = static_cast<std::int64_t>(length);
        const Buffer x = random_values(random, dtype, runs * length, -1.5, 1.6);
        const Buffer y = random_values(random, dtype, runs * length, -1.5, 1.6);
        Buffer products(x.size()), expected(runs * item), sums(runs * item), four(4 * item);
        const void* factors[] = {x.data(), y.data()};
        find_loop(Op::multiply, dtype)(factors, products.data(), all, nullptr);
        for (std::size_t run = 0; run < runs; ++run)
          fold_runs(Op::add, dtype, &products[run * length * item], 1, one, &expected[run * item]);
        for (const Streams streams : {Streams::one, Streams::four})
          for (const Factor from_memory : {Factor::both, Factor::left, Factor::right}) {
            find_fold_products(Op::add, dtype, streams, from_memory)(x.data(), y.data(), runs, one,
                                                                     sums.data());
            EXPECT_EQ(sums, expected) << length;
            std::ranges::fill(sums, std::byte{});
          }
        const void *left[4], *right[4];
        void* out[4];
        for (std::size_t k = 0; k < 4; ++k) {  // in another order, from other runs than beside each other
          const auto run = 2 * (3 - k);
          left[k] = &x[run * length * item];
          right[k] = &y[run * length * item];
          out[k] = &four[k * item];
        }
        find_fold_four_products(Op::add, dtype)(left, right, one, out);
        for (std::size_t k = 0; k < 4; ++k)
          EXPECT_EQ(std::memcmp(&four[k * item], &expected[2 * (3 - k) * item], item), 0) << length;
      }
    }
  }
}

TEST(Fold, halves_accumulate_in_float) {
  const std::size_t count = 4096;
  std::vector<std::uint16_t> ones(count, 0x3c00);  // half arithmetic would stop at 2048 with one accumulator
  std::uint16_t sum = 0;
  fold_runs(Op::add, Dtype::float16, ones.data(), 1, count, &sum);
  EXPECT_EQ(sum, 0x6c00) << "4096.0";
}

TEST(Fold, bits_do_not_depend_on_alignment_or_neighbours) {
  std::mt19937 random(5);
  for_each_fold([&](Op op, Dtype dtype) {
    const std::size_t item = protocol::size_of(dtype), length = 517;
    const Buffer values = random_values(random, dtype, length, -1.5, 1.6);
    Buffer first(item);
    fold_runs(op, dtype, values.data(), 1, length, first.data());
    for (std::size_t shift = 1; shift < 9; ++shift) {
      Buffer moved(values.size() + shift * item, std::byte{0x77});
      std::memcpy(&moved[shift * item], values.data(), values.size());
      Buffer again(item);
      fold_runs(op, dtype, &moved[shift * item], 1, length, again.data());
      ASSERT_EQ(again, first) << shift;
    }
  });
}

TEST(Fold, rows_in_order) {
  const LevelGuard guard;
  std::mt19937 random(6);
  for (const Isa level : levels_here()) {
    set_isa(level);
    for_each_fold([&](Op op, Dtype dtype) {
      const std::size_t item = protocol::size_of(dtype);
      for (const std::size_t length : {1U, 3U, 33U, 100U}) {
        const std::size_t rows = 9;
        const Buffer values = random_values(random, dtype, rows * length, -1.5, 1.6);
        Buffer expected(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(length * item)),
            got(length * item);
        for (std::size_t at = length; at < rows * length; ++at) {
          combine(op, dtype, &expected[at % length * item], &values[at * item]);
        }
        fold_rows_fresh(op, dtype, values.data(), rows, static_cast<std::int64_t>(length), got.data());
        ASSERT_EQ(got, expected);
        fold_rows_fresh(op, dtype, values.data(), 4, static_cast<std::int64_t>(length), got.data());
        fold_rows(op, dtype, &values[4 * length * item], rows - 4, static_cast<std::int64_t>(length),
                  got.data());
        ASSERT_EQ(got, expected) << "in two parts";
        for (const auto pitch :
             {static_cast<std::int64_t>(length) + 5, -static_cast<std::int64_t>(length) - 2,
              std::int64_t{0}}) {  // between the rows, which may be one
          Buffer apart(rows * (length + 5) * item);
          const auto first = pitch < 0 ? apart.size() / item - length : 0;
          const auto row = [&](std::size_t k) {
            return &apart[(first + k * static_cast<std::size_t>(pitch)) * item];
          };
          for (std::size_t k = 0; k < rows; ++k)
            std::copy_n(&values[(pitch == 0 ? 0 : k * length) * item], length * item, row(k));
          Buffer sum(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(length * item));
          for (std::size_t at = length; at < rows * length; ++at)
            combine(op, dtype, &sum[at % length * item], row(at / length) + at % length * item);
          find_fold_rows(op, dtype)(row(0), row(1), rows - 1, static_cast<std::int64_t>(length), pitch,
                                    got.data());
          ASSERT_EQ(got, sum) << "apart by " << pitch;
          find_fold_rows(op, dtype)(row(2), row(2), 0, static_cast<std::int64_t>(length), pitch, got.data());
          ASSERT_TRUE(std::equal(got.begin(), got.end(), row(2))) << "of one row";
        }
      }
    });
  }
}

Buffer tree(Op op, Dtype dtype, const Buffer& values, std::size_t first, std::size_t width,
            std::size_t count) {
  const std::size_t item = protocol::size_of(dtype);
  if (width == 1) return {&values[first * item], &values[first * item] + item};
  Buffer left = tree(op, dtype, values, first, width / 2, count);
  if (first + width / 2 < count) {
    combine(op, dtype, left.data(), tree(op, dtype, values, first + width / 2, width / 2, count).data());
  }
  return left;
}

TEST(Fold, pairs_of_pairs) {
  std::mt19937 random(7);
  for_each_fold([&](Op op, Dtype dtype) {
    const std::size_t item = protocol::size_of(dtype);
    for (const std::size_t count : {1U, 2U, 3U, 5U, 8U, 13U, 64U, 65U}) {
      Buffer values = random_values(random, dtype, count, -1.5, 1.6);
      std::size_t width = 1;
      while (width < count) width *= 2;
      const Buffer expected = tree(op, dtype, values, 0, width, count);
      fold_pairs(op, dtype, values.data(), static_cast<std::int64_t>(count), 1);
      ASSERT_EQ(std::memcmp(values.data(), expected.data(), item), 0) << count;
    }
  });
}

/// Columns at once, few or many, have the bits of each alone.
TEST(Fold, pairs_of_rows) {
  for (const std::size_t length : {2U, 3U, 31U, 32U, 33U, 100U})
    for (std::size_t count = 1; count <= 17; ++count) {
      std::vector<double> rows(count * length);
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = 1.0 / static_cast<double>(k + 3);
      const std::vector<double> values = rows;
      fold_pairs(Op::add, Dtype::float64, rows.data(), static_cast<std::int64_t>(count),
                 static_cast<std::int64_t>(length));
      for (std::size_t column = 0; column < length; ++column) {
        std::vector<double> alone;
        for (std::size_t row = 0; row < count; ++row) alone.push_back(values[row * length + column]);
        fold_pairs(Op::add, Dtype::float64, alone.data(), static_cast<std::int64_t>(count), 1);
        ASSERT_EQ(rows[column], alone[0]) << count << " rows of " << length;
      }
    }
}

TEST(Fold, nan_wins_or_loses_as_in_numpy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t at = 0; at < 70; ++at) {
    std::vector<double> values(70);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k * 7 % 31) - 15;
    values[at] = nan;
    double result = 0;
    fold_runs(Op::maximum, Dtype::float64, values.data(), 1, 70, &result);
    EXPECT_TRUE(std::isnan(result)) << at;
    fold_runs(Op::minimum, Dtype::float64, values.data(), 1, 70, &result);
    EXPECT_TRUE(std::isnan(result)) << at;
    fold_runs(Op::fmax, Dtype::float64, values.data(), 1, 70, &result);
    EXPECT_EQ(result, 15) << at;
    fold_runs(Op::fmin, Dtype::float64, values.data(), 1, 70, &result);
    EXPECT_EQ(result, -15) << at;
  }
}

TEST(Fold, identity_is_neutral) {
  std::mt19937 random(8);
  int found = 0;
  for_each_fold([&](Op op, Dtype dtype) {
    const auto neutral = identity(op, dtype);
    if (!neutral) {
      EXPECT_TRUE(op == Op::fmax || op == Op::fmin);
      return;
    }
    ++found;
    const std::size_t item = protocol::size_of(dtype);
    const Buffer values = random_values(random, dtype, 20, -1.5, 100);
    for (std::size_t k = 0; k < 20; ++k) {
      Buffer acc(neutral->bytes.begin(), neutral->bytes.begin() + static_cast<std::ptrdiff_t>(item));
      combine(op, dtype, acc.data(), &values[k * item]);
      const void* pair[] = {acc.data(), &values[k * item]};
      bool is_equal = false;
      find_loop(Op::equal, dtype)(pair, &is_equal, 1, nullptr);
      ASSERT_TRUE(is_equal);
    }
  });
  EXPECT_GT(found, 60);
  EXPECT_FALSE(identity(Op::subtract, Dtype::float64));
}

TEST(Fold, what_does_not_fold_is_refused) {
  double value = 0, result = 0;
  EXPECT_FALSE(can_fold(Op::subtract, Dtype::float64));
  EXPECT_FALSE(can_fold(Op::bitwise_or, Dtype::float64));
  EXPECT_FALSE(can_fold(Op::logical_or, Dtype::float64)) << "folds over bool";
  EXPECT_THROW(fold_runs(Op::subtract, Dtype::float64, &value, 1, 1, &result), protocol::Error);
  EXPECT_THROW(fold_rows(Op::less, Dtype::float64, &value, 1, 1, &result), protocol::Error);
}

}  // namespace
}  // namespace gamelan::engine::tiles
