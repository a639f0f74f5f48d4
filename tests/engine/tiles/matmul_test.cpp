// SPDX-License-Identifier: BSD-3-Clause
// gemm against the definition, one product and one sum at a time with the element loops, for every dtype.
#include "engine/tiles/loops/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/engine/tiles/every_dtype.hpp"

namespace gamelan::engine::tiles {
namespace {

using protocol::Dtype;
using protocol::Op;

struct Sides {
  std::int64_t m, n, k;
};

Buffer define(Dtype dtype, const Sides& s, const Buffer& a, std::int64_t lda, const Buffer& b,
              std::int64_t ldb, const Buffer& c, std::int64_t ldc, bool accumulate) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
  const Loop multiply = find_loop(Op::multiply, dtype), add = find_loop(Op::add, dtype);
  Buffer result = c;
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      std::array<std::byte, 16> sum{}, product{};
      std::byte* at = result.data() + (i * ldc + j) * item;
      if (accumulate) std::memcpy(sum.data(), at, static_cast<std::size_t>(item));
      for (std::int64_t p = 0; p < s.k; ++p) {
        const void* factors[] = {a.data() + (i * lda + p) * item, b.data() + (p * ldb + j) * item};
        multiply(factors, product.data(), 1, nullptr);
        const void* terms[] = {sum.data(), product.data()};
        add(terms, sum.data(), 1, nullptr);
      }
      std::memcpy(at, sum.data(), static_cast<std::size_t>(item));
    }
  }
  return result;
}

/// Small integers as values: sums are exact in every dtype, whatever the order.
Buffer whole_numbers(std::mt19937& random, Dtype dtype, std::int64_t count) {
  Buffer result = random_values(random, dtype, static_cast<std::size_t>(count), -3.4, 3.4);
  const Loop rint = find_loop(Op::rint, dtype);
  const void* in[] = {result.data()};
  if (rint != nullptr) rint(in, result.data(), static_cast<std::size_t>(count), nullptr);
  return result;
}

TEST(Matmul, equals_the_definition) {
  std::mt19937 random(9);
  for (const Dtype dtype : all_dtypes) {
    SCOPED_TRACE(std::string(protocol::info(dtype).name));
    for (const Sides& s : {Sides{1, 1, 1},
                           {3, 4, 5},
                           {1, 7, 9},
                           {8, 1, 9},
                           {5, 6, 0},
                           {0, 3, 2},
                           {3, 0, 2},
                           {17, 530, 70},
                           {70, 3, 130},
                           {1, 1, 100}}) {
      for (const std::int64_t padding : {0, 3}) {
        for (const bool accumulate : {false, true}) {
          const std::int64_t lda = s.k + padding + (s.k == 0), ldb = s.n + padding + (s.n == 0),
                             ldc = s.n + 2 * padding + (s.n == 0);
          const Buffer a = whole_numbers(random, dtype, s.m * lda + 1),
                       b = whole_numbers(random, dtype, s.k * ldb + 1);
          Buffer c = whole_numbers(random, dtype, s.m * ldc + 1);
          const Buffer expected = define(dtype, s, a, lda, b, ldb, c, ldc, accumulate);
          gemm(dtype, s.m, s.n, s.k, a.data(), lda, b.data(), ldb, c.data(), ldc, accumulate);
          const std::size_t count = c.size() / protocol::size_of(dtype);
          std::vector<char> equal(count);
          const void* pair[] = {c.data(), expected.data()};
          find_loop(Op::equal, dtype)(pair, equal.data(), count, nullptr);
          EXPECT_EQ(std::count(equal.begin(), equal.end(), 0), 0)
              << s.m << "x" << s.n << "x" << s.k << " padding " << padding << " accumulate " << accumulate;
        }
      }
    }
  }
}

TEST(Matmul, integers_wrap) {
  const std::int32_t a[] = {INT32_MAX, 2}, b[] = {3, 5};
  std::int32_t c = 0;
  gemm(Dtype::int32, 1, 1, 2, a, 2, b, 1, &c, 1, false);
  EXPECT_EQ(c, static_cast<std::int32_t>(3U * 2147483647U + 10U));
}

TEST(Matmul, old_nan_in_the_result_does_not_stay) {
  const double a[] = {1, 2}, b[] = {3, 4};
  double c = std::numeric_limits<double>::quiet_NaN();
  gemm(Dtype::float64, 1, 1, 2, a, 2, b, 1, &c, 1, false);
  EXPECT_EQ(c, 11);
}

/// False where this processor lacks instructions of the kernels that OpenBLAS is told to use.
bool has_processor_of_core() {
#if defined(__x86_64__)
  if (const char* const core = std::getenv("OPENBLAS_CORETYPE")) {
    const bool is_wide = std::string_view(core) == "SkylakeX";
    return is_wide ? __builtin_cpu_supports("avx512vl") : __builtin_cpu_supports("avx2");
  }
#endif
  return true;
}

// Ranks differ in how many tiles of a result lie together with them (run_matmul.cpp): the bits must not.
TEST(Matmul, whole_tiles_are_the_same_bits_alone_and_together) {
  if (!has_processor_of_core()) GTEST_SKIP() << "no such processor";
  constexpr std::int64_t tile_rows = 128, tile_columns = 256;
  struct Tiles {
    std::int64_t rows, columns;
  };
  std::mt19937 random(10);
  for (const Dtype dtype : {Dtype::float64})  // the one whose tiles are joined
    for (const auto& [tiles, depth] : std::vector<std::pair<Tiles, std::int64_t>>{
             {{3, 3}, 64}, {{3, 3}, 100}, {{3, 3}, 256}, {{16, 2}, 256}, {{2, 16}, 256}}) {
      const auto rows = tiles.rows * tile_rows, columns = tiles.columns * tile_columns;
      const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
      const Buffer a = random_values(random, dtype, static_cast<std::size_t>(rows * depth), -1, 1);
      const Buffer b = random_values(random, dtype, static_cast<std::size_t>(depth * columns), -1, 1);
      const Buffer before = random_values(random, dtype, static_cast<std::size_t>(rows * columns), -1, 1);
      Buffer together = before, alone = before;
      gemm(dtype, rows, columns, depth, a.data(), depth, b.data(), columns, together.data(), columns, true);
      for (std::int64_t i = 0; i < rows; i += tile_rows)
        for (std::int64_t j = 0; j < columns; j += tile_columns)
          gemm(dtype, tile_rows, tile_columns, depth, a.data() + i * depth * item, depth, b.data() + j * item,
               columns, alone.data() + (i * columns + j) * item, columns, true);
      EXPECT_EQ(std::memcmp(together.data(), alone.data(), together.size()), 0)
          << protocol::info(dtype).name << " " << depth;
    }
}

// The same of a matrix times a vector, whose tiles are smaller.
TEST(Matmul, whole_tiles_of_a_vector_are_the_same_bits_alone_and_together) {
  if (!has_processor_of_core()) GTEST_SKIP() << "no such processor";
  constexpr std::int64_t tile = 16;
  const Dtype dtype = Dtype::float64;
  std::mt19937 random(11);
  for (const std::int64_t tiles : {2, 7, 64})
    for (const std::int64_t depth : {1, 3, 20, 57, 64, 1000})
      for (const bool is_transposed : {false, true})
        for (const bool is_row : {false, true}) {
          const auto length = tiles * tile;
          const auto item = static_cast<std::int64_t>(protocol::size_of(dtype));
          const Buffer matrix = random_values(random, dtype, static_cast<std::size_t>(length * depth), -1, 1);
          const Buffer vector = random_values(random, dtype, static_cast<std::size_t>(depth), -1, 1);
          Buffer together = random_values(random, dtype, static_cast<std::size_t>(length), -1, 1),
                 alone = together;
          // The matrix lies by rows of the result, or by rows of the inner axis.
          const bool lies_across = is_row != is_transposed;
          const auto leading = lies_across ? length : depth, step = lies_across ? 1 : depth;
          const auto multiply = [&](std::int64_t first, std::int64_t count, Buffer& to) {
            const MatrixInMemory a{matrix.data() + first * step * item, leading, is_transposed},
                b{vector.data(), is_row ? depth : 1};
            std::byte* const out = to.data() + first * item;
            if (is_row)
              gemm(dtype, 1, count, depth, b, a, out, count, true);
            else
              gemm(dtype, count, 1, depth, a, b, out, 1, true);
          };
          multiply(0, length, together);
          for (std::int64_t first = 0; first < length; first += tile) multiply(first, tile, alone);
          EXPECT_EQ(std::memcmp(together.data(), alone.data(), together.size()), 0)
              << length << " x " << depth << (is_transposed ? " transposed" : "") << (is_row ? " row" : "");
        }
}

}  // namespace
}  // namespace gamelan::engine::tiles
