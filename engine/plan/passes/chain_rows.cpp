// SPDX-License-Identifier: BSD-3-Clause
// Joins steps that follow each other into chains of rows (step_chain.hpp): a reduction of each row, or the
// search for its extreme, what is made of its result, and a pass that takes both (softmax, normalisation,
// nearest neighbours). A block of rows goes through all of them while it is in cache, so that the operand is
// read from memory once, and what lives within the chain never lies in memory as a whole. It looks at layouts
// only; the bits are those of the single steps, because reduction blocks are whole within a row.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "engine/plan/operands.hpp"
#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/row_passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bytes_together = 640 << 10;  // of all operands: most of a second-level cache
constexpr std::int64_t fewest_together = 2;         // rows
constexpr std::int64_t least_bytes = 1 << 20;       // of a rank's blocks: less stays in cache anyway
constexpr std::int64_t cache_line_bytes = 64;
constexpr std::int64_t most_for_all = 128 << 10;  // of an operand for all rows: each block of rows reads it
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
    std::map<int, std::int64_t> bytes;
    std::int64_t work = 0, released = 0;
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
      add_bytes(step, bytes);
      work += elements_of(step) / std::max(rows->axes.front().parts, 1);
      if (last > first && (++parts == most_parts || work > most_work ||
                           sum_of(bytes) * fewest_together > bytes_together * rows_in(*rows)))
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

  /// Adds what a step goes through of a rank's largest blocks, by slot: of a few columns of a table, the
  /// cache lines that they lie in.
  void add_bytes(const Step& step, std::map<int, std::int64_t>& bytes) const {
    const auto slots = slots_of(step);
    std::set<int> others(slots.begin(), slots.end());
    for (const auto* operand : operands_of(step)) {
      others.erase(operand->slot);
      auto& of_slot = bytes[operand->slot];
      of_slot = std::min(of_slot + bytes_gone_through(operand->placement), bytes_of(operand->slot));
    }
    for (const int slot : others) bytes[slot] = bytes_of(slot);
  }

  static std::int64_t bytes_gone_through(const distribution::Placement& placement) {
    const auto item = static_cast<std::int64_t>(placement.item_bytes);
    std::int64_t lines = 1, line = item;
    for (std::size_t k = 0; k < placement.map.axes.size(); ++k) {
      const auto& axis = placement.map.axes[k];
      if (axis.base_axis < 0) continue;
      const auto indices = std::max<std::int64_t>(placement.iterations.axes[k].largest_interval(), 1);
      if (axis.base_axis + 1 == static_cast<int>(placement.base.axes.size()))
        line = indices * std::abs(axis.step) * item;
      else
        lines *= indices;
    }
    return lines * std::max(line, cache_line_bytes);
  }

  static std::int64_t sum_of(const std::map<int, std::int64_t>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& each) { return sum + each.second; });
  }

  /// Bytes that the steps go through on a rank.
  std::int64_t bytes_of_steps(std::size_t first, std::size_t last) const {
    std::map<int, std::int64_t> bytes;
    for (auto s = first; s < last; ++s) add_bytes(plan_.steps[s], bytes);
    return sum_of(bytes);
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
      if (const auto* lines = std::get_if<ArgLines>(&part)) read.insert(lines->input.slot);  // whole rows
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
