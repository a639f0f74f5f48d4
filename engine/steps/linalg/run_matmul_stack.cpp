// SPDX-License-Identifier: BSD-3-Clause
// Products of a stack of matrices that are small: as many at once as fit in cache. Each operand is found, or
// copied, for all of them together, because for such a matrix this takes longer than the product. Small ones
// are multiplied by loops of our own (tiles/loops/small_products.cpp), others by BLAS as run_matmul.cpp
// would.
#include "engine/steps/linalg/run_matmul_stack.hpp"

#include <optional>

#include "engine/steps/chunks.hpp"
#include "engine/steps/linalg/matrix_stacks.hpp"
#include "engine/tiles/loops/matmul.hpp"
#include "engine/tiles/loops/small_products.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using protocol::Shape;

constexpr std::int64_t few_terms = 512;          // of a product: BLAS takes longer to begin
constexpr std::int64_t chunk_elements = 32'768;  // of the larger operand, or of the result
constexpr std::int64_t longest_inner = 256;

/// The matrix as BLAS can read it; nullopt if neither its rows nor its columns are dense.
std::optional<tiles::MatrixInMemory> for_blas(const std::byte* data, std::int64_t rows, std::int64_t columns,
                                              std::int64_t row_step, std::int64_t column_step) {
  if ((column_step == 1 || columns == 1) && (rows == 1 || row_step >= columns))
    return tiles::MatrixInMemory{data, rows == 1 ? columns : row_step};
  if ((row_step == 1 || rows == 1) && (columns == 1 || column_step >= rows))
    return tiles::MatrixInMemory{data, columns == 1 ? rows : column_step, true};
  return std::nullopt;
}

class StackProduct {
 public:
  StackProduct(const StepContext& context, const plan::Matmul& matmul, const Box& mine)
      : context_(context),
        matmul_(matmul),
        mine_(mine),
        dims_(mine.size()),
        item_(static_cast<std::int64_t>(protocol::size_of(matmul.dtype))),
        left_(context, matmul.left, matmul.dtype, matmul.dtype),
        right_(context, matmul.right, matmul.dtype, matmul.dtype) {
    each_.m = mine[dims_ - 2].size();
    each_.n = mine[dims_ - 1].size();
    each_.k = matmul.inner;
    each_.c_row = each_.n;
    each_.c_next = each_.m * each_.n;
  }

  void run() {
    const auto largest = std::max({each_.m * each_.n, each_.m * each_.k, each_.k * each_.n});
    const Box batch(mine_.begin(), mine_.end() - 2);
    auto* result = context_.own_block(matmul_.out);
    for_each_chunk(batch, chunk_elements / std::max<std::int64_t>(largest, 1), -1, [&](const Box& part) {
      multiply(part, result);  // parts come in the order of the result
      result += volume(part) * each_.c_next * item_;
      context_.progress();
    });
  }

 private:
  Box with(Box part, const distribution::Interval& rows, const distribution::Interval& columns) const {
    part.push_back(rows);
    part.push_back(columns);
    return part;
  }

  void multiply(const Box& part, std::byte* result) {
    const distribution::Interval inner{0, matmul_.inner};
    const MatrixStack a = left_.at(with(part, mine_[dims_ - 2], inner));
    const MatrixStack b = right_.at(with(part, inner, mine_[dims_ - 1]));
    const auto step = [&](const MatrixStack& of, std::size_t axis) { return of.strides[axis] / item_; };
    each_.a_row = step(a, dims_ - 2);
    each_.a_column = step(a, dims_ - 1);
    each_.b_row = step(b, dims_ - 2);
    each_.b_column = step(b, dims_ - 1);
    // Along the last axis of the stack matrices are evenly spaced; the axes before it are walked.
    const auto last = dims_ - 3;
    each_.count = part[last].size();
    each_.a_next = step(a, last);
    each_.b_next = step(b, last);
    Shape index(last, 0);
    while (true) {
      const std::byte *from_a = a.data, *from_b = b.data;
      for (std::size_t k = 0; k < last; ++k) {
        from_a += index[k] * a.strides[k];
        from_b += index[k] * b.strides[k];
      }
      multiply_row(from_a, from_b, result);
      result += each_.count * each_.c_next * item_;
      std::size_t k = last;
      while (k > 0 && ++index[k - 1] == part[k - 1].size()) index[--k] = 0;
      if (k == 0) return;
    }
  }

  void multiply_row(const std::byte* a, const std::byte* b, std::byte* c) {
    const auto& e = each_;
    if (is_by_loops(e.m, e.n, e.k)) return tiles::small_products(matmul_.dtype, e, a, b, c);
    for (std::int64_t at = 0; at < e.count; ++at) {
      const auto* matrix_a = a + at * e.a_next * item_;
      const auto* matrix_b = b + at * e.b_next * item_;
      const auto left = for_blas(matrix_a, e.m, e.k, e.a_row, e.a_column);
      const auto right = for_blas(matrix_b, e.k, e.n, e.b_row, e.b_column);
      tiles::gemm(matmul_.dtype, e.m, e.n, e.k,
                  left ? *left : packed(matrix_a, e.m, e.k, e.a_row, e.a_column, packed_a_),
                  right ? *right : packed(matrix_b, e.k, e.n, e.b_row, e.b_column, packed_b_),
                  c + at * e.c_next * item_, e.n, false);
    }
  }

  tiles::MatrixInMemory packed(const std::byte* from, std::int64_t rows, std::int64_t columns,
                               std::int64_t row_step, std::int64_t column_step,
                               std::vector<std::byte>& to) const {
    to.resize(static_cast<std::size_t>(rows * columns * item_));
    copy_box(matmul_.dtype, matmul_.dtype, Shape{rows, columns}, from,
             Shape{row_step * item_, column_step * item_}, to.data(), Shape{columns * item_, item_});
    return {to.data(), columns};
  }

 public:
  static bool is_by_loops(std::int64_t m, std::int64_t n, std::int64_t k) { return m * n * k <= few_terms; }

 private:
  const StepContext& context_;
  const plan::Matmul& matmul_;
  const Box& mine_;
  std::size_t dims_;
  std::int64_t item_;
  StackOperand left_, right_;
  tiles::SmallProducts each_;
  std::vector<std::byte> packed_a_, packed_b_;
};

}  // namespace

bool run_stack(const StepContext& context, const plan::Matmul& matmul, const Box& mine) {
  const auto dims = mine.size();
  if (dims < 3 || is_empty(mine) || matmul.dtype == protocol::Dtype::bool_) return false;
  const auto m = matmul.extents[dims - 2], n = matmul.extents[dims - 1], k = matmul.inner;
  const bool is_whole = mine[dims - 2].size() == m && mine[dims - 1].size() == n;
  // What BLAS multiplies must be one tile of run_matmul.cpp, for the same bits if another rank cuts it.
  const bool is_tile = m <= plan::matmul_tile_rows && n <= plan::matmul_tile_columns && k <= longest_inner;
  if (!StackProduct::is_by_loops(m, n, k) && !(is_whole && is_tile)) return false;
  StackProduct(context, matmul, mine).run();
  return true;
}

}  // namespace gamelan::engine::steps
