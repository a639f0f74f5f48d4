// SPDX-License-Identifier: BSD-3-Clause
// Reductions, second half: the partials of each result are folded by a fixed tree.
#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/steps/box_copies.hpp"
#include "engine/steps/indices.hpp"
#include "engine/steps/row_pass.hpp"
#include "engine/steps/run_step.hpp"
#include "engine/tiles/float_errors.hpp"
#include "engine/tiles/loops/fold.hpp"
#include "engine/tiles/loops/moments.hpp"

namespace gamelan::engine::steps {
namespace {

using distribution::Box;
using distribution::Piece;
using protocol::Shape;

constexpr std::int64_t finish_elements = 262144;  // partials finished at once

/// Folds the partials of `row` results, one row of them after the other, into the first row.
void finish_rows(const plan::FoldFinish& fold, std::int64_t partials, std::int64_t row, std::byte* values) {
  tiles::float_errors().clear();
  if (plan::has_moments(fold.fold)) {
    auto* const records = reinterpret_cast<double*>(values);
    tiles::merge_moments(records, partials / tiles::moment_parts, row);
    tiles::squared_deviations_of(records, row, records);
    tiles::float_errors().clear();  // nobody is told of them
    return;
  }
  tiles::fold_pairs(fold.fold, fold.loop, values, partials, row);
  tiles::note_fold(fold.fold, fold.loop, fold.command);
}

/// What the fold of no elements gives, `row` times.
void fill_with_identity(const plan::FoldFinish& fold, std::int64_t row, std::byte* values) {
  const auto op = plan::has_moments(fold.fold) ? protocol::Op::add : fold.fold;
  const auto identity = tiles::identity(op, fold.loop);
  const auto item = protocol::size_of(fold.loop);
  for (std::int64_t i = 0; i < row; ++i, values += item) std::memcpy(values, identity->bytes.data(), item);
}

/// Finishes the results of a box of this rank's part.
void finish(const StepContext& context, const plan::FoldFinish& fold, const Box& mine) {
  if (is_empty(mine)) return;
  const auto item = static_cast<std::int64_t>(protocol::size_of(fold.loop));
  const Shape all = fold.input.placement.iterations.extents();
  const Shape reduced(all.begin() + static_cast<std::ptrdiff_t>(fold.kept_axes), all.end());
  const auto blocks = fold.is_empty ? 1 : protocol::element_count(reduced);

  // The results of this rank in boxes small enough for scratch, cut along the first axes.
  Shape chunk(fold.kept_axes, 1);
  std::int64_t elements = std::max<std::int64_t>(blocks, 1);
  for (std::size_t k = fold.kept_axes; k-- > 0;) {
    chunk[k] = std::clamp<std::int64_t>(finish_elements / elements, 1, mine[k].size());
    elements *= chunk[k];
  }
  Shape chunks(fold.kept_axes);
  for (std::size_t k = 0; k < fold.kept_axes; ++k) chunks[k] = (mine[k].size() + chunk[k] - 1) / chunk[k];
  const auto values = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(elements * item));
  for_each_index(chunks, [&](const Shape& at) {
    Box kept(fold.kept_axes);
    Shape extents(fold.kept_axes), first(fold.kept_axes);
    for (std::size_t k = 0; k < fold.kept_axes; ++k) {
      first[k] = mine[k].first + at[k] * chunk[k];
      kept[k] = {first[k], std::min(first[k] + chunk[k], mine[k].last)};
      extents[k] = kept[k].size();
    }
    const auto row = protocol::element_count(extents);
    const Shape row_strides = protocol::contiguous_strides(extents, static_cast<std::size_t>(item));
    if (fold.is_empty) {
      fill_with_identity(fold, row, values.get());
    } else {
      // Partials of this box, one row of results per reduction block.
      Shape scratch_strides = row_strides;
      for (const auto stride : protocol::contiguous_strides(reduced, static_cast<std::size_t>(row * item)))
        scratch_strides.push_back(stride);
      Box box = kept;
      for (const auto extent : reduced) box.push_back({0, extent});
      const distribution::Placement* placement = &fold.input.placement;
      distribution::for_each_cell(
          box, {&placement, 1}, context.rank(), [&](const Box& cell, std::span<const Piece> pieces) {
            std::int64_t offset = 0;
            Shape size;
            for (std::size_t k = 0; k < cell.size(); ++k) {
              offset += (cell[k].first - box[k].first) * scratch_strides[k];
              size.push_back(cell[k].size());
            }
            copy_box(fold.loop, fold.loop, size, context.address(fold.input, pieces[0]), pieces[0].strides,
                     values.get() + offset, scratch_strides);
          });
      finish_rows(fold, blocks, row, values.get());
    }
    const auto piece = distribution::locate(fold.output.placement, first, context.rank());
    copy_box(fold.loop, fold.output_dtype, extents, values.get(), row_strides,
             context.address(fold.output, piece), piece.strides);
    context.progress();
  });
}

}  // namespace

void run(const StepContext& context, const plan::FoldFinish& fold) {
  if (fold.iterations.takes_part(context.rank())) finish(context, fold, fold.iterations.box(context.rank()));
}

namespace {

struct FinishOfRows : RowPass {
  FinishOfRows(const StepContext& step_context, const plan::FoldFinish& part)
      : context(step_context), fold(part) {}
  void run(const distribution::Interval& rows, int /*owner*/) override {
    Box mine = fold.iterations.box(context.rank());
    mine.front() = rows;
    finish(context, fold, mine);
  }
  const StepContext& context;
  const plan::FoldFinish& fold;
};

}  // namespace

std::unique_ptr<RowPass> row_pass(const StepContext& context, const plan::FoldFinish& fold) {
  return std::make_unique<FinishOfRows>(context, fold);
}

}  // namespace gamelan::engine::steps
