// SPDX-License-Identifier: BSD-3-Clause
// Joins steps that follow each other into chains of rows (step_chain.hpp): a reduction of each row, or the
// search for its extreme, what is made of its result, and a pass that takes both (softmax, normalisation,
// nearest neighbours). A block of rows goes through all of them while it is in cache, so that the operand is
// read from memory once, and what lives within the chain never lies in memory as a whole. It looks at layouts
// only; the bits are those of the single steps, because reduction blocks are whole within a row.
#include <algorithm>
#include <set>

#include "engine/plan/operands.hpp"
#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/row_passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bytes_together = 640 << 10;  // of all operands: most of a second-level cache
constexpr std::int64_t fewest_together = 2;         // rows
constexpr std::int64_t least_bytes = 1 << 20;       // of a rank's blocks: less stays in cache anyway
constexpr std::int64_t most_for_all = 128 << 10;    // of an operand for all rows: each block of rows reads it
// Of a rank: what comes from before the chain and is given back within it lives until its end.
constexpr std::int64_t most_kept = 16 << 20;
// Of a rank, in the largest pass and in all passes: an interrupt waits for the whole chain.
constexpr std::size_t most_parts = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 26, most_work = 4 * most_elements;

class Chainer {
 public:
  explicit Chainer(Plan& plan) : plan_(plan) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t first = 0; first < plan_.steps.size();) {
      const auto last = end_of_chain(first);
      if (is_worth_it(first, last)) {
        auto joined = chain(first, last);
        for (const auto s : hoisted_) steps.push_back(std::move(plan_.steps[s]));
        steps.push_back(std::move(joined));
      } else
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
    hoisted_.clear();
    const Layout* rows = rows_of(plan_, plan_.steps[first]);
    std::set<int> slots;
    std::int64_t work = 0, bytes = 0, released = 0;
    std::size_t parts = 0;
    auto last = first;
    for (; last < plan_.steps.size() && released <= most_kept; ++last) {
      const auto& step = plan_.steps[last];
      const Layout* own = rows_of(plan_, step);
      if (!rows || !own || !have_same_rows(*rows, *own) || !is_row_by_row(step, *rows)) {
        if (last == first || !is_small_and_of_numbers(plan_, step, most_for_all)) break;
        hoisted_.insert(last);
        continue;
      }
      for (const int slot : slots_of(step))
        if (slots.insert(slot).second) bytes += bytes_of(slot);
      work += elements_of(step) / std::max(rows->axes.front().parts, 1);
      if (last > first && (++parts == most_parts || work > most_work ||
                           bytes * fewest_together > bytes_together * rows_in(*rows)))
        break;
      made_.insert(step.allocates.begin(), step.allocates.end());
      // What is given back lives until the end of the chain, unless the chain has made it.
      for (const int slot : step.releases) released += made_.contains(slot) ? 0 : bytes_of(slot);
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

  std::int64_t total_bytes_of(int slot) const {
    return protocol::element_count(info(slot).extents) *
           static_cast<std::int64_t>(protocol::size_of(info(slot).dtype));
  }

  /// Of other ranks' blocks these alone read what is for all rows (uses.cpp, communication.cpp).
  static bool computes(const Step& step) {
    return std::holds_alternative<FusedLoop>(step.body) || std::holds_alternative<FoldBlocks>(step.body);
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
      if (!is_made(operand->slot) && computes(step) && is_for_all_rows(*operand) &&
          total_bytes_of(operand->slot) <= most_for_all)
        continue;
      if (!have_same_rows(placement.iterations, rows) ||
          !std::all_of(placement.iterations.axes.begin() + 1, placement.iterations.axes.end(), is_whole))
        return false;
      if (!is_made(operand->slot)) continue;
      const auto& row = placement.map.axes.front();
      if (placement.base != layout || !have_same_rows(layout, rows) || row.base_axis != 0 || row.start != 0 ||
          row.step != 1)
        return false;
    }
    // What is no operand is a new array of the results.
    if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
      return std::all_of(fold->folds.begin(), fold->folds.end(),
                         [&](const auto& each) { return have_same_rows(info(each.partials).layout, rows); });
    return true;
  }

  /// Bytes of a rank's largest blocks of all that the steps use.
  std::int64_t bytes_of_steps(std::size_t first, std::size_t last) const {
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
    for (auto s = first; s < last; ++s) largest = std::max(largest, elements_of(plan_.steps[s]));
    for (auto s = first; s < last; ++s) {
      const auto& step = plan_.steps[s];
      if (elements_of(step) == largest) ++passes;
      if (std::holds_alternative<FoldBlocks>(step.body) || std::holds_alternative<ArgLines>(step.body))
        ++folds;
    }
    if (passes < 2 || folds == 0) return false;
    const auto& rows = *rows_of(plan_, plan_.steps[first]);
    return bytes_of_steps(first, last) >= least_bytes &&
           largest / std::max(rows.axes.front().parts, 1) <= most_elements;
  }

  Step chain(std::size_t first, std::size_t last) {
    RowChain chain;
    chain.rows = *rows_of(plan_, plan_.steps[first]);
    chain.rows.axes.resize(1);
    chain.together =
        std::max<std::int64_t>(bytes_together * rows_in(chain.rows) / bytes_of_steps(first, last), 1);
    Step joined;
    const auto append = [](std::vector<int>& to, const std::vector<int>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (auto s = first; s < last; ++s) {
      if (hoisted_.contains(s)) continue;
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
      else if (auto* lines = std::get_if<ArgLines>(&step.body))
        chain.parts.emplace_back(std::move(*lines));
      else
        chain.parts.emplace_back(std::move(std::get<FoldFinish>(step.body)));
    }
    keep_in_cache(chain);
    keep_passing_rows(joined, chain);
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

  /// Of what the chain makes and gives back there are only the rows in work. Its array has died, or has a
  /// later version: it gets no name.
  void keep_passing_rows(Step& joined, RowChain& chain) {
    if (chain.together >= rows_in(chain.rows)) return;
    for (const int slot : joined.allocates) {
      if (std::find(joined.releases.begin(), joined.releases.end(), slot) == joined.releases.end()) continue;
      plan_.slots[static_cast<std::size_t>(slot)].rows_kept = chain.together;
      chain.passing.push_back(slot);
      std::erase(joined.binds, slot);
    }
  }

  Plan& plan_;
  // Of the chain that is looked for:
  std::set<int> made_;             // slots of its parts
  std::set<std::size_t> hoisted_;  // steps amid it that come before it
};

}  // namespace

void chain_rows(Plan& plan) { Chainer(plan).run(); }

}  // namespace gamelan::engine::plan
