// SPDX-License-Identifier: BSD-3-Clause
// Reads assembled arrays (assembled.hpp) where their parts come from. The commands around such an array are
// split at the ends of its parts: `2 * u - np.roll(u, 1, 0)` becomes one pass over most of the array, whose
// operands are u and u one row further on, and a short one for the row that comes around. Nothing is copied,
// and of other ranks' blocks only borders are read.
#include <algorithm>
#include <set>

#include "engine/plan/passes/assembled.hpp"
#include "engine/plan/passes/cut_temporaries.hpp"
#include "engine/plan/passes/interior.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t most_boxes = 27, most_nodes = 1024;
constexpr std::int64_t least_elements = 1 << 12;  // a short pass costs some microseconds

struct Box {
  Shape first, extents;
};

class Splitter {
 public:
  explicit Splitter(Context& context) : context_(context), assembled_(find_assembled(context)) {}

  void run() {
    std::vector<ArrayId> small;
    for (const auto& [id, array] : assembled_)
      if (protocol::element_count(array.extents) < least_elements) small.push_back(id);
    for (const auto id : small) take_out(assembled_, id);
    while (!assembled_.empty() && !find_runs()) {
    }
    if (!assembled_.empty()) rewrite();
  }

 private:
  /// Nodes that follow each other, apart from those that fill assembled arrays, and run over the same
  /// extents.
  struct Run {
    std::vector<std::size_t> nodes;
    std::vector<Box> boxes;  ///< empty when it reads no assembled array
  };

  const protocol::Command& command(std::size_t n) const { return context_.nodes[n].command; }

  /// False when there were too many boxes: some arrays are then made after all, and runs must be found anew.
  bool find_runs() {
    dropped_.clear();
    for (const auto& [id, array] : assembled_) dropped_.insert(array.makers.begin(), array.makers.end());
    runs_.clear();
    for (std::size_t n = 0; n < context_.nodes.size(); ++n) {
      if (dropped_.contains(n)) continue;
      if (runs_.empty() || !goes_on(runs_.back(), n)) {
        runs_.emplace_back();
        made_.clear();
      }
      runs_.back().nodes.push_back(n);
      made_.insert(command(n).out.base);
    }
    return std::all_of(runs_.begin(), runs_.end(), [&](Run& run) { return cut(run); });
  }

  /// True when the node can be computed box by box together with the run: what it reads of the run's results
  /// are elements of its own box.
  bool goes_on(const Run& run, std::size_t n) const {
    const auto last = run.nodes.back();
    if (!can_be_split(context_, context_.nodes[n]) || !can_be_split(context_, context_.nodes[last]) ||
        command(last).out.extents != command(n).out.extents)
      return false;
    return std::all_of(command(n).in.begin(), command(n).in.end(), [&](const protocol::Operand& operand) {
      const auto* view = std::get_if<View>(&operand);
      if (!view) return true;
      if (made_.contains(view->base))
        return protocol::same_elements(*view, protocol::whole(view->base, view->dtype, view->extents));
      const auto found = assembled_.find(view->base);
      return found == assembled_.end() ||
             std::none_of(found->second.parts.begin(), found->second.parts.end(), [&](const auto& part) {
               const auto* source = std::get_if<View>(&part.source);
               return source && made_.contains(source->base);
             });
    });
  }

  bool cut(Run& run) {
    std::vector<ArrayId> read;
    for (const auto n : run.nodes)
      for (const auto& operand : command(n).in)
        if (const auto* view = std::get_if<View>(&operand); view && assembled_.contains(view->base))
          read.push_back(view->base);
    if (read.empty()) return true;
    const Shape& extents = command(run.nodes.front()).out.extents;
    std::vector<std::set<std::int64_t>> cuts(extents.size());
    std::size_t boxes = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      cuts[k] = {0, extents[k]};
      for (const auto id : read)
        for (const auto& part : assembled_.at(id).parts)
          cuts[k].insert({part.first[k], part.first[k] + part.extents[k]});
      boxes *= cuts[k].size() - 1;
    }
    if (boxes > most_boxes || boxes * run.nodes.size() > most_nodes) {
      for (const auto id : read) take_out(assembled_, id);
      return false;
    }
    run.boxes = {{{}, {}}};
    for (const auto& axis : cuts) {
      std::vector<Box> finer;
      for (const auto& box : run.boxes)
        for (auto from = axis.begin(), to = std::next(from); to != axis.end(); ++from, ++to) {
          finer.push_back(box);
          finer.back().first.push_back(*from);
          finer.back().extents.push_back(*to - *from);
        }
      run.boxes = std::move(finer);
    }
    std::stable_sort(run.boxes.begin(), run.boxes.end(), [](const Box& left, const Box& right) {
      return protocol::element_count(left.extents) > protocol::element_count(right.extents);
    });
    return true;
  }

  void rewrite() {
    find_readers(context_);
    std::vector<Node> nodes;
    for (const auto& run : runs_) {
      if (run.boxes.empty()) {
        for (const auto n : run.nodes) nodes.push_back(std::move(context_.nodes[n]));
        continue;
      }
      const auto inner = inner_arrays(run);
      for (const auto n : run.nodes)
        if (const auto id = command(n).out.base; !inner.contains(id)) lay_out(run, id);
      for (const auto& box : run.boxes) add_part(run, inner, box, nodes);
    }
    context_.nodes = std::move(nodes);
  }

  /// The temporaries that only the run itself reads.
  std::unordered_set<ArrayId> inner_arrays(const Run& run) const {
    std::unordered_set<ArrayId> inner;
    for (const auto n : run.nodes) {
      const auto id = command(n).out.base;
      const auto readers = context_.readers.find(id);
      const auto is_here = [&](int reader) {
        return std::find(run.nodes.begin(), run.nodes.end(), static_cast<std::size_t>(reader)) !=
               run.nodes.end();
      };
      if (is_dead_temporary(context_, id) && readers != context_.readers.end() &&
          std::all_of(readers->second.begin(), readers->second.end(), is_here))
        inner.insert(id);
    }
    return inner;
  }

  /// A layout for an array that will be written box by box: that of an operand, else the default.
  void lay_out(const Run& run, ArrayId id) {
    auto& made = context_.arrays.at(id);
    made.layout = distribution::default_layout(made.extents, context_.options.ranks);
    for (const auto n : run.nodes)
      for (const auto& operand : command(n).in) {
        const auto* view = std::get_if<View>(&operand);
        if (!view || assembled_.contains(view->base)) continue;
        const auto& info = context_.arrays.at(view->base);
        if (info.layout.axes.empty() || info.extents != made.extents || info.layout.is_replicated ||
            !distribution::is_balanced(info.layout) ||
            !protocol::same_elements(*view, protocol::whole(view->base, info.dtype, info.extents)))
          continue;
        made.layout = info.layout;
        return;
      }
  }

  void add_part(const Run& run, const std::unordered_set<ArrayId>& inner, const Box& box,
                std::vector<Node>& nodes) {
    std::unordered_map<ArrayId, ArrayId> parts;
    for (const auto n : run.nodes) {
      Node part = context_.nodes[n];
      auto& command = part.command;
      for (auto& operand : command.in) {
        auto* view = std::get_if<View>(&operand);
        if (!view) continue;
        if (const auto found = assembled_.find(view->base); found != assembled_.end())
          operand = found->second.source_of(box.first, box.extents);
        else if (const auto temporary = parts.find(view->base); temporary != parts.end())
          *view = protocol::whole(temporary->second, view->dtype, box.extents);
        else
          *view = part_of(*view, box.first, box.extents);
      }
      if (inner.contains(command.out.base)) {
        const auto id = context_.next_temporary++;
        context_.arrays[id] = {box.extents, command.out.dtype, {}};
        context_.created.insert(id);
        context_.dead.insert(id);
        parts[command.out.base] = id;
        command.out = protocol::whole(id, command.out.dtype, box.extents);
      } else {
        command.out = part_of(command.out, box.first, box.extents);
        command.creates = false;
      }
      nodes.push_back(std::move(part));
    }
  }

  Context& context_;
  AssembledArrays assembled_;
  std::set<std::size_t> dropped_;
  std::vector<Run> runs_;
  std::unordered_set<ArrayId> made_;  ///< by the run that is being found
};

}  // namespace

void split_assembled(Context& context) {
  Splitter(context).run();
  cut_temporaries(context);
}

}  // namespace gamelan::engine::plan
