// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/row_passes.hpp"

#include <algorithm>

namespace gamelan::engine::plan {
namespace {

const Slot& slot_of(const Plan& plan, int slot) { return plan.slots[static_cast<std::size_t>(slot)]; }

bool is_plain(const FusedLoop& loop) {
  return loop.carries.empty() && !loop.interior && !loop.computes_nothing();
}

}  // namespace

bool is_whole(const distribution::AxisLayout& axis) { return axis.parts == 1; }

const Layout* rows_of(const Plan& plan, const Step& step) {
  const Layout* layout = nullptr;
  if (const auto* loop = std::get_if<FusedLoop>(&step.body)) {
    if (is_plain(*loop)) layout = &loop->iterations;
  } else if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) {
    if (fold->is_complete && is_plain(fold->values) && !fold->reduced.front() &&
        fold->block_extents.front() == 1 && protocol::element_count(fold->extents) > 0)
      layout = &fold->values.iterations;
  } else if (const auto* finish = std::get_if<FoldFinish>(&step.body)) {
    if (!finish->is_empty && finish->kept_axes > 0) layout = &finish->iterations;
  } else if (const auto* lines = std::get_if<ArgLines>(&step.body)) {
    if (lines->axis > 0 && lines->piece == 0) layout = &slot_of(plan, lines->out).info.layout;
  }
  if (!layout || layout->is_replicated || layout->axes.empty() || !step.hands_over.empty()) return nullptr;
  return std::all_of(layout->axes.begin() + 1, layout->axes.end(), is_whole) ? layout : nullptr;
}

bool have_same_rows(const Layout& left, const Layout& right) {
  return !left.is_replicated && !right.is_replicated && !left.axes.empty() && !right.axes.empty() &&
         left.axes.front() == right.axes.front() && left.pins == right.pins &&
         left.first_rank == right.first_rank && left.grid_size == right.grid_size;
}

std::int64_t elements_of(const Step& step) {
  if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) return protocol::element_count(fold->extents);
  if (const auto* loop = std::get_if<FusedLoop>(&step.body))
    return protocol::element_count(loop->iterations.extents());
  if (const auto* lines = std::get_if<ArgLines>(&step.body))
    return protocol::element_count(lines->input.placement.iterations.extents());
  return 0;
}

bool is_small_and_of_numbers(const Plan& plan, const Step& step, std::int64_t most_bytes) {
  const auto* loop = std::get_if<FusedLoop>(&step.body);
  if (!loop || !is_plain(*loop) || !step.hands_over.empty()) return false;
  return std::all_of(loop->operands.begin(), loop->operands.end(), [&](const Operand& operand) {
    if (operand.source == Operand::Source::payload) return true;
    return operand.is_written &&
           block_bytes(slot_of(plan, operand.slot)) <= static_cast<std::size_t>(most_bytes) &&
           std::find(step.allocates.begin(), step.allocates.end(), operand.slot) != step.allocates.end();
  });
}

}  // namespace gamelan::engine::plan
