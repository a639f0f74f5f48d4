// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra on stacks of matrices, and on small ones: each rank reads the matrices whose results it
// owns, wherever they lie, and passes them to LAPACK one by one.
#include <cstring>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/linalg/lapack.hpp"
#include "engine/steps/run_step.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using protocol::Shape;

/// Reads the matrix of a stack at `index` in column-major order.
void read_matrix(const StepContext& context, const plan::Operand& operand, protocol::Dtype from,
                 protocol::Dtype to, const Box& index, std::byte* target) {
  const auto& axes = operand.placement.iterations.axes;
  const auto dims = axes.size();
  const auto item = static_cast<std::int64_t>(protocol::size_of(to));
  Box box = index;
  Shape strides(index.size(), 0);
  for (const auto axis : {dims - 2, dims - 1}) box.push_back({0, axes[axis].extent});
  strides.push_back(item);
  strides.push_back(item * axes[dims - 2].extent);
  copy_operand(context, operand, from, to, box, target, strides);
}

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
  const auto item = protocol::size_of(linalg.loop), out_item = protocol::size_of(info.dtype);
  const auto result = mine[dims - 2].size() * task.columns;
  std::byte* work = context.own_block(linalg.work);
  task.a = work;
  task.work = work + static_cast<std::size_t>(task.m * task.n) * item;
  task.work_elements = std::max(task.n * task.right, result);
  auto* out = context.own_block(linalg.out);
  Box index;
  for (std::size_t k = 0; k + 2 < dims; ++k) index.push_back({mine[k].first, mine[k].first + 1});
  while (true) {
    read_matrix(context, linalg.a, linalg.a_dtype, linalg.loop, index, static_cast<std::byte*>(task.a));
    if (linalg.b.slot >= 0)
      read_matrix(context, linalg.b, linalg.b_dtype, linalg.loop, index, static_cast<std::byte*>(task.work));
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
