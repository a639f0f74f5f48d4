// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra on stacks of matrices, and on small ones: each rank reads the matrices whose results it
// owns, wherever they lie, and passes them to LAPACK one by one. Small ones are read many at once.
#include <algorithm>
#include <array>
#include <optional>

#include "engine/steps/linalg/blas_threads.hpp"
#include "engine/steps/linalg/lapack.hpp"
#include "engine/steps/linalg/matrix_stacks.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;

constexpr std::int64_t elements_at_once = 16'384;

/// The matrices of an operand, one after the other, in column-major order.
class Matrices {
 public:
  Matrices(const StepContext& context, const plan::Operand& operand, protocol::Dtype from, protocol::Dtype to)
      : stack_(context, operand, from, to),
        dims_(operand.placement.iterations.axes.size()),
        rows_(operand.placement.iterations.axes[dims_ - 2].extent),
        columns_(operand.placement.iterations.axes[dims_ - 1].extent),
        item_(static_cast<std::int64_t>(protocol::size_of(to))),
        is_complex_(protocol::info(to).kind == 'c') {}

  /// Writes the matrix at `index` to `target`; after it `left` more along the last axis of the stack will be
  /// asked for.
  void read(const Box& index, std::int64_t left, std::byte* target) {
    if (rows_ * columns_ > elements_at_once) return copy(index, target);
    if (next_ == count_) {
      Box box = index;
      const auto room =
          std::max<std::int64_t>(elements_at_once / std::max<std::int64_t>(rows_ * columns_, 1), 1);
      count_ = index.empty() ? 1 : std::min(room, left + 1);
      if (!index.empty()) box.back().last = box.back().first + count_;
      found_ = stack_.at(with_matrix(std::move(box)));
      next_ = 0;
    }
    const auto* from = found_.data + (dims_ > 2 ? next_ * found_.strides[dims_ - 3] : 0);
    ++next_;
    if (is_complex_)
      turn<std::array<double, 2>>(from, target);
    else
      turn<double>(from, target);
  }

 private:
  Box with_matrix(Box index) const {
    index.push_back({0, rows_});
    index.push_back({0, columns_});
    return index;
  }

  /// A large matrix, from the blocks where its parts lie.
  void copy(const Box& index, std::byte* target) const {
    protocol::Shape strides(dims_, 0);
    strides[dims_ - 2] = item_;
    strides[dims_ - 1] = rows_ * item_;
    stack_.copy(with_matrix(index), target, strides);
  }

  template <class T>
  void turn(const std::byte* from, std::byte* target) const {
    constexpr std::int64_t side = 32;  // both sides of the exchange stay in cache
    auto* to = reinterpret_cast<T*>(target);
    const auto row = found_.strides[dims_ - 2], column = found_.strides[dims_ - 1];
    for (std::int64_t i0 = 0; i0 < rows_; i0 += side)
      for (std::int64_t j0 = 0; j0 < columns_; j0 += side)
        for (std::int64_t j = j0; j < std::min(j0 + side, columns_); ++j)
          for (std::int64_t i = i0; i < std::min(i0 + side, rows_); ++i)
            to[i + j * rows_] = *reinterpret_cast<const T*>(from + i * row + j * column);
  }

  StackOperand stack_;
  std::size_t dims_;
  std::int64_t rows_, columns_, item_;
  bool is_complex_;
  MatrixStack found_;
  std::int64_t next_ = 0, count_ = 0;  // of what was found
};

}  // namespace

void run(const StepContext& context, const plan::WholeMatrices& linalg) {
  const auto& info = context.info(linalg.out);
  if (!info.layout.takes_part(context.rank())) return;
  const Box mine = info.layout.box(context.rank());
  if (is_empty(mine)) return;
  const auto dims = mine.size();
  const auto& a = linalg.a.placement.iterations.axes;
  MatrixTask task{linalg.routine, linalg.loop, linalg.flag, a[dims - 2].extent, a[dims - 1].extent};
  task.columns = mine[dims - 1].size();
  if (linalg.b.slot >= 0) task.right = linalg.b.placement.iterations.axes[dims - 1].extent;
  task.ranks_at_once = std::min(context.comm().ranks_on_node(), info.layout.grid_size);
  const auto item = protocol::size_of(linalg.loop), out_item = protocol::size_of(info.dtype);
  const auto result = mine[dims - 2].size() * task.columns;
  std::byte* work = context.own_block(linalg.work);
  task.a = work;
  task.work = work + static_cast<std::size_t>(task.m * task.n) * item;
  task.work_elements = std::max(std::max(task.m, task.n) * task.right, result);
  task.rcond = linalg.rcond;
  auto* out = context.own_block(linalg.out);
  Box index;
  for (std::size_t k = 0; k + 2 < dims; ++k) index.push_back({mine[k].first, mine[k].first + 1});
  const bool is_single =
      std::all_of(a.begin(), a.end() - 2, [](const auto& axis) { return axis.extent == 1; });
  std::optional<BlasThreads> threads;
  if (is_single) threads.emplace(task.m * task.n);  // the other ranks wait for it
  Matrices left(context, linalg.a, linalg.a_dtype, linalg.loop);
  std::optional<Matrices> right;
  if (linalg.b.slot >= 0) right.emplace(context, linalg.b, linalg.b_dtype, linalg.loop);
  while (true) {
    const auto rest = index.empty() ? 0 : mine[index.size() - 1].last - index.back().last;
    left.read(index, rest, static_cast<std::byte*>(task.a));
    if (right) right->read(index, rest, static_cast<std::byte*>(task.work));
    task.out = out;
    compute(task);
    context.progress();
    out += static_cast<std::size_t>(result) * out_item;
    std::size_t k = index.size();
    while (k > 0 && ++index[k - 1].first == mine[k - 1].last) {
      --k;
      index[k].first = mine[k].first;
      index[k].last = index[k].first + 1;
    }
    if (k == 0) return;
    index[k - 1].last = index[k - 1].first + 1;
  }
}

}  // namespace gamelan::engine::steps
