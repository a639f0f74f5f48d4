// SPDX-License-Identifier: BSD-3-Clause
// From `linalg` to steps. Stacks and small matrices are whole matrices, each with the rank that has its
// result. One large matrix takes three steps: it is spread in blocks over a grid of ranks, computed by all of
// them together, and collected. The notebook says which, by the side of a block (0 for whole matrices).
// Nothing here depends on data.
#include <cstring>

#include "engine/plan/lowering/step_writer.hpp"

namespace gamelan::engine::plan {
namespace {

using distribution::Cyclic;
using protocol::Linalg;

/// Elements that LAPACK's operands and results take for one matrix (run_whole_matrices.cpp).
std::int64_t work_elements(const Shape& a, std::int64_t right, const Shape& out) {
  const auto m = a[a.size() - 2], n = a.back();
  return m * n + std::max(std::max(m, n) * right, out[out.size() - 2] * out.back()) + m + n;
}

class Blocked {
 public:
  Blocked(StepWriter& writer, const protocol::Command& command) : writer_(writer), command_(command) {
    step_.routine = static_cast<Linalg>(command.ints[0]);
    step_.loop = command.loop;
    step_.flag = command.ints[2] != 0;
    step_.a_blocks = blocks(0);
    step_.a = spread(0, step_.a_blocks);
    if (step_.routine != Linalg::solve) return;
    step_.b_blocks = blocks(1);
    step_.b = spread(1, step_.b_blocks);
  }

  void lower(Step step) {
    Step compute;
    list_results(compute);
    CollectBlocks collect{step_.results, step_.loop, -1};
    compute.body = std::move(step_);
    writer_.finish(std::move(compute));
    collect.out = writer_.make(step, command_.out.base);
    step.body = std::move(collect);
    writer_.finish(std::move(step));
  }

 private:
  Cyclic blocks(std::size_t operand) const {
    const auto& extents = std::get<View>(command_.in[operand]).extents;
    return like(extents[0], extents[1]);
  }
  Cyclic like(std::int64_t rows, std::int64_t columns) const {
    return distribution::cyclic(rows, columns, command_.ints[1], writer_.context().options.ranks);
  }
  /// A row of numbers, whole with rank 0.
  Cyclic row(std::int64_t count) const {
    auto blocks = like(1, count);
    blocks.block = count;
    return blocks;
  }

  int spread(std::size_t operand, const Cyclic& blocks) {
    const auto& view = std::get<View>(command_.in[operand]);
    Step step;
    SpreadBlocks body{read(writer_, view), view.dtype, command_.loop, blocks, -1};
    body.to = make_scratch(writer_, step, blocks.largest(), command_.loop);
    const int slot = body.to;
    step.body = std::move(body);
    writer_.finish(std::move(step));
    return slot;
  }

  void add(int slot, const Cyclic& blocks, std::int64_t first_row, bool is_transposed = false,
           bool is_lower = false) {
    step_.results.push_back({slot, 0, blocks, first_row, is_transposed, is_lower});
  }
  /// Results that have a slot of their own, one after another.
  void make(Step& step, std::vector<BlockedResult> results) {
    std::int64_t elements = 0;
    for (auto& result : results) {
      result.offset = elements;
      elements += result.blocks.largest();
    }
    step_.made = make_scratch(writer_, step, elements, step_.loop);
    for (auto& result : results) {
      result.slot = step_.made;
      step_.results.push_back(result);
    }
  }

  void list_results(Step& step) {
    const auto m = step_.a_blocks.rows, n = step_.a_blocks.columns, k = std::min(m, n);
    const auto width = command_.out.extents[1];
    switch (step_.routine) {
      case Linalg::solve:
        return add(step_.b, step_.b_blocks, 0);
      case Linalg::inverse:
        return add(step_.a, step_.a_blocks, 0);
      case Linalg::cholesky:
        return add(step_.a, step_.a_blocks, 0, false, true);
      case Linalg::slogdet:
        return make(step, {{.blocks = row(2)}});
      case Linalg::qr:
        make(step, {{.blocks = like(m, width)}});
        return add(step_.a, step_.a_blocks, m, true, true);
      case Linalg::svd:
        return make(step, {{.blocks = like(m, k)},
                           {.blocks = like(k, n), .first_row = m, .is_transposed = true},
                           {.blocks = row(k), .first_row = m + n}});
      case Linalg::svd_values:
        return make(step, {{.blocks = row(k)}});
      case Linalg::eigh:
        return make(step, {{.blocks = like(n, n)}, {.blocks = row(n), .first_row = n}});
      case Linalg::eigh_values:
        return make(step, {{.blocks = row(n)}});
      case Linalg::qr_factors:
      case Linalg::eig:
      case Linalg::eig_values:
      case Linalg::least_squares:
        break;
    }
    throw protocol::Error(protocol::ErrorKind::protocol, "[linalg] this routine takes whole matrices");
  }

  StepWriter& writer_;
  const protocol::Command& command_;
  BlockedMatrix step_;
};

}  // namespace

/// Whole matrices are cut along the axes of the stack only. Several results of all ranks, one below another,
/// are cut along their columns: each of them is copied out of the array, and then lies with all ranks, too.
Layout layout_for_linalg(const Context& context, const protocol::Command& command) {
  const auto& extents = command.out.extents;
  const auto dims = extents.size();
  const auto routine = static_cast<Linalg>(command.ints[0]);
  const bool are_several = routine == Linalg::qr || routine == Linalg::svd || routine == Linalg::eigh;
  const bool is_shared = command.ints[1] > 0;
  if (is_shared && !are_several) return distribution::default_layout(extents, context.options.ranks);
  Shape cut = extents;
  std::vector<std::size_t> whole{dims - 2};
  if (!is_shared) whole.push_back(dims - 1);
  for (const auto axis : whole) cut[axis] = 1;
  Layout layout = distribution::default_layout(cut, context.options.ranks);
  layout.is_replicated = false;
  for (const auto axis : whole)
    layout.axes[axis] = {.extent = extents[axis], .template_extent = extents[axis]};
  return layout;
}

void lower_linalg(StepWriter& writer, const protocol::Command& command, Step step) {
  if (command.ints[1] > 0) return Blocked(writer, command).lower(std::move(step));
  const auto& a = std::get<View>(command.in[0]);
  WholeMatrices linalg;
  linalg.routine = static_cast<Linalg>(command.ints[0]);
  linalg.flag = command.ints[2] != 0;
  linalg.loop = command.loop;
  linalg.a = read(writer, a);
  linalg.a_dtype = a.dtype;
  std::int64_t right = 0;
  if (has_right(linalg.routine)) {
    const auto& b = std::get<View>(command.in[1]);
    linalg.b = read(writer, b);
    linalg.b_dtype = b.dtype;
    right = b.extents.back();
  }
  if (linalg.routine == Linalg::least_squares)
    std::memcpy(&linalg.rcond, std::get<protocol::Scalar>(command.in[2]).bytes.data(), sizeof linalg.rcond);
  linalg.work =
      make_scratch(writer, step, work_elements(a.extents, right, command.out.extents), command.out.dtype);
  linalg.out = writer.make(step, command.out.base);
  step.body = std::move(linalg);
  writer.finish(std::move(step));
}

}  // namespace gamelan::engine::plan
