// SPDX-License-Identifier: BSD-3-Clause
// Tiles sweeps in time. Passes that follow each other over the same large arrays (Jacobi, heat, waves; a step
// of conjugate gradients and the reduction of what it makes) become a wavefront (step_wavefront.hpp): a band
// of rows goes through all of them while it is in cache, so that memory is read and written once. Versions of
// an array that only these passes see share two blocks. Each element is computed once, by the same program:
// the bits are those of the single passes. For one node, because borders between ranks are computed in both
// ranks' blocks.
#include <algorithm>
#include <set>

#include "engine/plan/passes/passes.hpp"
#include "engine/plan/passes/shared_slots.hpp"
#include "engine/plan/passes/wavefront_parts.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::int64_t bytes_in_cache = 1 << 20;       // of all rows in flight: a second-level cache
constexpr std::int64_t bytes_nearby = 8 << 20;         // the same for few sweeps: a share of the last level
constexpr std::size_t few_parts = 4, most_parts = 32;  // sweeps
constexpr std::int64_t least_bytes = 4 << 20;          // of a rank's blocks: less stays in cache anyway
constexpr std::int64_t elements_together = 1 << 14;    // that a part computes in one go
constexpr std::int64_t rows_when_always = 3;
// Of a rank: an interrupt waits for all of it.
constexpr std::int64_t most_elements = std::int64_t{1} << 28;
// Of a rank: what the passes give back lives until the end of the last one.
constexpr std::int64_t most_kept = 16 << 20;

class Tiler {
 public:
  Tiler(Plan& plan, const Options& options) : plan_(plan), is_always_(options.tiling == Tiling::always) {}

  void run() {
    if (!is_always_ && bytes_of_all() < least_bytes) return;
    std::vector<Step> steps;
    for (std::size_t first = 0; first < plan_.steps.size();) {
      const auto end = end_of_joined(first, end_of_group(first));
      auto last = end;
      auto group = make_group(first, last);
      while (!group && last > first + 2) group = make_group(first, --last);
      if (group && last < end) shorten(first, end, last, group);
      if (group) {
        append(first, last, *group, steps);
        first = last;
      } else {
        steps.push_back(std::move(plan_.steps[first++]));
      }
    }
    plan_.steps = std::move(steps);
  }

 private:
  /// Steps that become one wavefront; `uses` have renamed slots.
  struct Group {
    std::vector<std::vector<RowUse>> uses;
    Distances distances;
    SharedSlots slots;
    std::int64_t together = 1, bytes = 0;
  };

  const Slot& slot(int number) const { return plan_.slots[static_cast<std::size_t>(number)]; }
  const LayoutOf layout_of_ = [this](int number) -> const Layout& { return slot(number).info.layout; };

  static const Layout& iterations_of(const Step& step) { return loop_of(step.body).iterations; }

  std::int64_t bytes_of_all() const {
    std::int64_t bytes = 0;
    for (const auto& each : plan_.slots) bytes += static_cast<std::int64_t>(block_bytes(each));
    return bytes;
  }

  /// The step behind the last one that might join `first`: cheap conditions only. `first` where their blocks
  /// stay in cache anyway.
  std::size_t end_of_group(std::size_t first) const {
    std::set<int> slots;
    std::int64_t elements = 0;
    auto last = first;
    for (; last < plan_.steps.size() && last - first < most_parts; ++last) {
      const auto& step = plan_.steps[last];
      if (!has_rows(step, layout_of_) || !step.hands_over.empty()) break;
      if (!have_same_cuts(iterations_of(step), iterations_of(plan_.steps[first]))) break;
      elements += rows_of_rank(step) * row_elements_of(step);
      const auto own = slots_of(step);
      const bool is_joined = std::any_of(own.begin(), own.end(), [&](int s) { return slots.contains(s); });
      if (last > first && (!is_joined || elements > most_elements)) break;
      slots.insert(own.begin(), own.end());
    }
    std::int64_t bytes = 0;
    for (const int each : slots) bytes += static_cast<std::int64_t>(block_bytes(slot(each)));
    return is_always_ || bytes >= least_bytes ? last : first;
  }

  std::int64_t row_bytes(int number) const {
    const auto& info = slot(number).info;
    const auto rows = std::max<std::int64_t>(info.layout.axes.front().largest_interval(), 1);
    return info.layout.largest_block() / rows * static_cast<std::int64_t>(protocol::size_of(info.dtype));
  }

  /// The step behind the last one that can join `first`, of those before `end`; `first` where none can. What
  /// cannot be joined cannot be with more steps behind it either.
  std::size_t end_of_joined(std::size_t first, std::size_t end) const {
    if (end < first + 2) return first;
    if (!join(first, first + 2)) return first;
    if (join(first, end)) return end;
    auto last = first + 2;
    for (auto refused = end; refused > last + 1;) {
      const auto middle = last + (refused - last) / 2;
      (join(first, middle) ? last : refused) = middle;
    }
    return last;
  }

  /// The steps as one wavefront, if that is possible and worth it.
  std::optional<Group> make_group(std::size_t first, std::size_t last) const {
    auto group = join(first, last);
    if (!group || !is_worth_it(*group)) return std::nullopt;
    return group;
  }

  /// The steps as one wavefront, if that is possible.
  std::optional<Group> join(std::size_t first, std::size_t last) const {
    if (last < first + 2) return std::nullopt;
    const std::span steps(plan_.steps.data() + first, last - first);
    auto slots = SharedSlots::of(plan_, steps);
    if (!slots) return std::nullopt;
    Group group{{}, {}, std::move(*slots)};
    std::int64_t row_elements = 1;
    for (const auto& step : steps) {
      auto uses = row_uses_of(step, layout_of_);
      for (auto& use : uses) use.slot = group.slots.renamed(use.slot);
      group.uses.push_back(std::move(uses));
      row_elements = std::max(row_elements, row_elements_of(step));
    }
    auto distances = distances_of(group.uses);
    if (!distances) return std::nullopt;
    group.distances = std::move(*distances);
    if (!leaves_rows(group, steps)) return std::nullopt;
    group.together =
        is_always_ ? rows_when_always : std::max<std::int64_t>(elements_together / row_elements, 1);
    group.bytes =
        bytes_in_flight(group.uses, group.distances, group.together, [this](int s) { return row_bytes(s); });
    return group;
  }

  /// Lets wavefronts that follow each other be of about one length: a short last one would gain little.
  void shorten(std::size_t first, std::size_t end, std::size_t& last, std::optional<Group>& group) const {
    const auto count = end - first, most = last - first;
    const auto groups = (count + most - 1) / most;
    for (auto length = std::max<std::size_t>((count + groups - 1) / groups, 2); length < most; ++length)
      if (auto shorter = make_group(first, first + length)) {
        last = first + length;
        group = std::move(shorter);
        return;
      }
  }

  /// True when the rows around borders are few beside the blocks. What a part writes lies with the rank that
  /// computes it.
  bool leaves_rows(const Group& group, std::span<const Step> steps) const {
    if (iterations_of(steps.front()).axes.front().parts == 1) return true;
    const auto most = [](const std::vector<std::int64_t>& each) {
      return *std::max_element(each.begin(), each.end());
    };
    const auto rows = most(group.distances.top) + most(group.distances.bottom);
    for (const auto& uses : group.uses)
      for (const auto& use : uses)
        if (use.is_written && use.shift != 0) return false;
    for (const auto& step : steps) {
      const auto& axis = iterations_of(step).axes.front();
      for (int c = 0; c < axis.parts; ++c) {
        const auto interval = axis.interval(c);
        if (interval.size() < (is_always_ ? 2 : 4) * std::max<std::int64_t>(rows, 1)) return false;
        if (c > 0 && interval.first != axis.cut(c) - axis.start) return false;
      }
    }
    return true;
  }

  bool is_worth_it(const Group& group) const {
    std::int64_t bytes = -std::max<std::int64_t>(group.slots.more_bytes(), 0);
    std::set<int> slots;
    for (const auto& uses : group.uses)
      for (const auto& use : uses)
        if (slots.insert(use.slot).second) bytes += static_cast<std::int64_t>(block_bytes(slot(use.slot)));
    if (!is_always_ && bytes < least_bytes) return false;
    if (group.bytes > (group.uses.size() <= few_parts ? bytes_nearby : bytes_in_cache)) return false;
    return group.slots.more_bytes() <= most_kept;
  }

  /// Results that other parts touch, too, stay in cache.
  static void keep_in_cache(const Group& group, FusedLoop& loop) {
    for (auto& instruction : loop.program.code) {
      if (!instruction.streams) continue;
      const int stored = loop.operands[static_cast<std::size_t>(instruction.operand)].slot;
      const auto parts = std::count_if(group.uses.begin(), group.uses.end(), [&](const auto& uses) {
        return std::any_of(uses.begin(), uses.end(), [&](const RowUse& use) { return use.slot == stored; });
      });
      if (parts > 1) instruction.streams = false;
    }
  }

  void append(std::size_t first, std::size_t last, const Group& group, std::vector<Step>& steps) const {
    const bool has_borders = iterations_of(plan_.steps[first]).axes.front().parts > 1;
    Step joined;
    auto parts = std::make_shared<std::vector<Wavefront::Part>>();
    for (std::size_t p = 0; p < last - first; ++p) {
      const auto& step = plan_.steps[first + p];
      joined.commands.insert(joined.commands.end(), step.commands.begin(), step.commands.end());
      joined.command = std::max(joined.command, step.command);
      Wavefront::Part part;
      if (const auto* fold = std::get_if<FoldBlocks>(&step.body))
        part.pass = group.slots.renamed(*fold);
      else
        part.pass = group.slots.renamed(loop_of(step.body));
      keep_in_cache(group, loop_of(part.pass));
      const auto& [skew, top, bottom] = group.distances;
      parts->push_back(
          {std::move(part.pass), skew[p], has_borders ? top[p] : 0, has_borders ? bottom[p] : 0});
    }
    joined.allocates = group.slots.allocates();
    joined.binds = group.slots.binds();
    joined.body = Wavefront{parts, group.together, false};
    if (has_borders) {
      Step borders;
      borders.commands = joined.commands;
      borders.command = joined.command;
      borders.body = Wavefront{parts, group.together, true};
      steps.push_back(std::move(joined));
      joined = std::move(borders);
    }
    joined.releases = group.slots.releases();
    steps.push_back(std::move(joined));
  }

  Plan& plan_;
  bool is_always_;
};

}  // namespace

void tile_time(Plan& plan, const Options& options) { Tiler(plan, options).run(); }

}  // namespace gamelan::engine::plan
