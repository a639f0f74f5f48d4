// SPDX-License-Identifier: BSD-3-Clause
// Joins steps that follow each other into chains of rows (step_chain.hpp): a reduction of each row, what is
// made of its result, and a pass that takes both (softmax, normalisation). A block of rows goes through all
// of them while it is in cache, so that the operand is read from memory once. It looks at layouts only; the
// bits are those of the single steps, because reduction blocks are whole within a row.
#include <algorithm>
#include <set>

#include "engine/plan/operands.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bytes_together = 640 << 10;  // of all operands: most of a second-level cache
constexpr std::int64_t fewest_together = 2;         // rows
constexpr std::int64_t least_bytes = 1 << 20;       // of a rank's blocks: less stays in cache anyway
// Of a rank: what is given back within the chain lives until its end.
constexpr std::int64_t most_kept = 16 << 20;
// Of a rank's block: an interrupt waits for the whole chain.
constexpr std::int64_t most_elements = std::int64_t{1} << 26;

using AxisLayout = distribution::AxisLayout;

/// The layout of a part's iterations, when the part can run over some of its rows; nullptr otherwise.
const Layout* rows_of(const Step& step) {
  const auto is_plain = [](const FusedLoop& loop) { return loop.carries.empty() && !loop.interior; };
  const Layout* layout = nullptr;
  if (const auto* loop = std::get_if<FusedLoop>(&step.body)) {
    if (is_plain(*loop)) layout = &loop->iterations;
  } else if (const auto* fold = std::get_if<FoldBlocks>(&step.body)) {
    if (fold->is_complete && is_plain(fold->values) && !fold->reduced.front() &&
        fold->block_extents.front() == 1 && protocol::element_count(fold->extents) > 0)
      layout = &fold->values.iterations;
  } else if (const auto* finish = std::get_if<FoldFinish>(&step.body)) {
    if (!finish->is_empty && finish->kept_axes > 0) layout = &finish->iterations;
  }
  if (!layout || layout->is_replicated || layout->axes.empty() || !step.hands_over.empty()) return nullptr;
  const auto is_whole = [](const AxisLayout& axis) { return axis.parts == 1; };
  return std::all_of(layout->axes.begin() + 1, layout->axes.end(), is_whole) ? layout : nullptr;
}

bool have_same_rows(const Layout& left, const Layout& right) {
  return !left.is_replicated && !right.is_replicated && !left.axes.empty() && !right.axes.empty() &&
         left.axes.front() == right.axes.front() && left.pins == right.pins &&
         left.first_rank == right.first_rank && left.grid_size == right.grid_size;
}

class Chainer {
 public:
  explicit Chainer(Plan& plan) : plan_(plan) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t first = 0; first < plan_.steps.size();) {
      const auto last = end_of_chain(first);
      if (is_worth_it(first, last))
        steps.push_back(chain(first, last));
      else
        for (auto s = first; s < last; ++s) steps.push_back(std::move(plan_.steps[s]));
      first = last;
    }
    plan_.steps = std::move(steps);
  }

 private:
  const ArrayInfo& info(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].info; }

  /// The step behind the last one that can follow `first`.
  std::size_t end_of_chain(std::size_t first) {
    made_.clear();
    const Layout* rows = rows_of(plan_.steps[first]);
    auto last = first;
    for (; last < plan_.steps.size(); ++last) {
      const auto& step = plan_.steps[last];
      const Layout* own = rows_of(step);
      if (!rows || !own || !have_same_rows(*rows, *own) || !is_row_by_row(step, *rows)) break;
      if (last > first && bytes_of(first, last + 1) * fewest_together > bytes_together * rows_in(*rows))
        break;
      made_.insert(step.allocates.begin(), step.allocates.end());
      if (releases_much(first, last)) {
        ++last;
        break;
      }
    }
    return std::max(last, first + 1);
  }

  static std::int64_t rows_in(const Layout& rows) {
    Layout axis = rows;
    axis.axes.resize(1);
    return std::max<std::int64_t>(axis.largest_block(), 1);
  }

  std::int64_t bytes_of(int slot) const {
    return info(slot).layout.largest_block() * static_cast<std::int64_t>(protocol::size_of(info(slot).dtype));
  }

  /// True when the steps give back so much that it should not live until the end of a longer chain.
  bool releases_much(std::size_t first, std::size_t last) const {
    std::int64_t bytes = 0;
    for (auto s = first; s <= last; ++s)
      for (const int slot : plan_.steps[s].releases) bytes += bytes_of(slot);
    return bytes > most_kept;
  }

  bool is_row_by_row(const Step& step, const Layout& rows) const {
    for (const auto& use : uses_of(step))
      if (use.is_written &&
          std::find(step.allocates.begin(), step.allocates.end(), use.slot) == step.allocates.end())
        return false;
    const auto is_made = [&](int slot) {
      return made_.contains(slot) ||
             std::find(step.allocates.begin(), step.allocates.end(), slot) != step.allocates.end();
    };
    for (const auto* operand : operands_of(step)) {
      const auto& layout = info(operand->slot).layout;
      const auto& placement = operand->placement;
      if (layout.is_replicated && !is_made(operand->slot)) continue;
      if (!have_same_rows(placement.iterations, rows) ||
          !std::all_of(placement.iterations.axes.begin() + 1, placement.iterations.axes.end(),
                       [](const AxisLayout& axis) { return axis.parts == 1; }))
        return false;
      if (!is_made(operand->slot)) continue;
      const auto& row = placement.map.axes.front();
      if (placement.base != layout || !have_same_rows(layout, rows) || row.base_axis != 0 || row.start != 0 ||
          row.step != 1)
        return false;
    }
    if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
      return std::all_of(fold->folds.begin(), fold->folds.end(),
                         [&](const auto& each) { return have_same_rows(info(each.partials).layout, rows); });
    return true;
  }

  /// Bytes of a rank's largest blocks of all that the steps use.
  std::int64_t bytes_of(std::size_t first, std::size_t last) const {
    std::set<int> slots;
    for (auto s = first; s < last; ++s)
      for (const int slot : slots_of(plan_.steps[s])) slots.insert(slot);
    std::int64_t bytes = 0;
    for (const int slot : slots) bytes += bytes_of(slot);
    return bytes;
  }

  /// True when a row is reduced, and there is a later pass over whole rows.
  bool is_worth_it(std::size_t first, std::size_t last) const {
    std::int64_t largest = 0, passes = 0, folds = 0;
    const auto elements = [&](const Step& step) {
      if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
        return protocol::element_count(fold->extents);
      if (const auto* loop = std::get_if<FusedLoop>(&step.body))
        return protocol::element_count(loop->iterations.extents());
      return std::int64_t{0};
    };
    for (auto s = first; s < last; ++s) largest = std::max(largest, elements(plan_.steps[s]));
    for (auto s = first; s < last; ++s) {
      if (elements(plan_.steps[s]) == largest) ++passes;
      if (std::holds_alternative<FoldBlocks>(plan_.steps[s].body)) ++folds;
    }
    if (passes < 2 || folds == 0) return false;
    const auto& rows = *rows_of(plan_.steps[first]);
    return bytes_of(first, last) >= least_bytes &&
           largest / std::max(rows.axes.front().parts, 1) <= most_elements;
  }

  Step chain(std::size_t first, std::size_t last) {
    RowChain chain;
    chain.rows = *rows_of(plan_.steps[first]);
    chain.rows.axes.resize(1);
    chain.together = std::max<std::int64_t>(bytes_together * rows_in(chain.rows) / bytes_of(first, last), 1);
    Step joined;
    const auto append = [](std::vector<int>& to, const std::vector<int>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (auto s = first; s < last; ++s) {
      auto& step = plan_.steps[s];
      append(joined.allocates, step.allocates);
      append(joined.binds, step.binds);
      append(joined.releases, step.releases);
      append(joined.commands, step.commands);
      joined.command = std::max(joined.command, step.command);
      if (auto* loop = std::get_if<FusedLoop>(&step.body))
        chain.parts.emplace_back(std::move(*loop));
      else if (auto* fold = std::get_if<FoldBlocks>(&step.body))
        chain.parts.emplace_back(std::move(*fold));
      else
        chain.parts.emplace_back(std::move(std::get<FoldFinish>(step.body)));
    }
    keep_in_cache(chain);
    joined.body = std::move(chain);
    return joined;
  }

  /// What later parts read is not stored past the cache.
  static void keep_in_cache(RowChain& chain) {
    std::set<int> read;
    const auto note = [&](const FusedLoop& loop) {
      for (const auto& operand : loop.operands)
        if (operand.source == Operand::Source::slot && !operand.is_written) read.insert(operand.slot);
    };
    const auto keep = [&](FusedLoop& loop) {
      for (auto& instruction : loop.program.code)
        if (instruction.streams &&
            read.contains(loop.operands[static_cast<std::size_t>(instruction.operand)].slot))
          instruction.streams = false;
    };
    for (const auto& part : chain.parts) {
      if (const auto* loop = std::get_if<FusedLoop>(&part)) note(*loop);
      if (const auto* fold = std::get_if<FoldBlocks>(&part)) note(fold->values);
    }
    for (auto& part : chain.parts) {
      if (auto* loop = std::get_if<FusedLoop>(&part)) keep(*loop);
      if (auto* fold = std::get_if<FoldBlocks>(&part)) keep(fold->values);
    }
  }

  Plan& plan_;
  std::set<int> made_;
};

}  // namespace

void chain_rows(Plan& plan) { Chainer(plan).run(); }

}  // namespace gamelan::engine::plan
