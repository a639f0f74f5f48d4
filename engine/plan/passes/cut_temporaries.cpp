// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/cut_temporaries.hpp"

#include <algorithm>

#include "engine/plan/passes/assembled.hpp"
#include "engine/plan/passes/interior.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t most_boxes = 27, most_cuts = 64;

class Cutter {
 public:
  explicit Cutter(Context& context) : context_(context) {
    for (const auto& view : context_.fetches) kept_whole_.insert(view.base);
    for (const auto& node : context_.nodes) {
      if (!node.command.creates) kept_whole_.insert(node.command.out.base);
      for (const auto& operand : node.command.in)
        if (const auto* view = std::get_if<View>(&operand)) {
          ++reads_[view->base];
          if (view->extents != context_.arrays.at(view->base).extents) read_in_parts_.insert(view->base);
        }
    }
  }

  void run() {
    // The last first: what is cut reads its operands in parts, and they come before it.
    std::size_t cuts = 0;
    for (auto n = context_.nodes.size(); n-- > 0 && cuts < most_cuts;)
      if (is_candidate(n)) {
        const auto boxes = boxes_of(n);
        if (boxes.empty()) continue;
        cut(n, boxes);
        ++cuts;
      }
  }

 private:
  struct Box {
    Shape first, extents;
    std::size_t reader;  ///< the first
  };

  const protocol::Command& command(std::size_t n) const { return context_.nodes[n].command; }

  bool is_candidate(std::size_t n) const {
    const auto& out = command(n).out;
    return read_in_parts_.contains(out.base) && is_dead_temporary(context_, out.base) &&
           !kept_whole_.contains(out.base) && !context_.assigned.contains(out.base) &&
           can_be_split(context_, context_.nodes[n]);
  }

  /// The boxes that are read of what node `n` makes; empty when it cannot be cut there.
  std::vector<Box> boxes_of(std::size_t n) const {
    const auto array = command(n).out.base;
    const auto& info = context_.arrays.at(array);
    std::vector<Box> boxes;
    std::int64_t elements = 0;
    auto left = reads_.at(array);
    for (auto r = n + 1; r < context_.nodes.size() && left > 0; ++r) {
      for (const auto& operand : command(r).in) {
        const auto* view = std::get_if<View>(&operand);
        if (!view || view->base != array) continue;
        --left;
        const auto first = first_of(*view, info);
        if (!first || context_.nodes[r].kind != Node::Kind::elementwise) return {};
        const auto is_this = [&](const Box& box) {
          return box.first == *first && box.extents == view->extents;
        };
        if (std::any_of(boxes.begin(), boxes.end(), is_this)) continue;
        if (boxes.size() == most_boxes || !std::all_of(boxes.begin(), boxes.end(), [&](const Box& box) {
              return are_disjoint(box.first, box.extents, *first, view->extents);
            }))
          return {};
        elements += protocol::element_count(view->extents);
        boxes.push_back({*first, view->extents, r});
      }
    }
    if (boxes.size() < 2 || elements != protocol::element_count(info.extents)) return {};
    return are_operands_kept(n, boxes.back().reader) ? boxes : std::vector<Box>();
  }

  /// True when nothing that node `n` reads is written in place before node `last`.
  bool are_operands_kept(std::size_t n, std::size_t last) const {
    for (auto other = n + 1; other < last; ++other) {
      if (command(other).creates) continue;
      for (const auto& operand : command(n).in)
        if (const auto* view = std::get_if<View>(&operand); view && view->base == command(other).out.base)
          return false;
    }
    return true;
  }

  void cut(std::size_t n, const std::vector<Box>& boxes) {
    const auto array = command(n).out.base;
    const auto info = context_.arrays.at(array);
    for (const auto& operand : command(n).in)
      if (const auto* view = std::get_if<View>(&operand)) {
        reads_[view->base] += static_cast<int>(boxes.size()) - 1;
        read_in_parts_.insert(view->base);
      }
    std::vector<std::vector<Node>> before(context_.nodes.size());  // by node
    for (const auto& box : boxes) {
      const auto id = context_.next_temporary++;
      context_.arrays[id] = {box.extents, info.dtype, {}};
      context_.created.insert(id);
      context_.dead.insert(id);
      Node part = context_.nodes[n];
      part.command = part_of(std::move(part.command), box.first, box.extents);
      part.command.out = protocol::whole(id, info.dtype, box.extents);
      for (auto r = box.reader; r < context_.nodes.size(); ++r)
        for (auto& operand : context_.nodes[r].command.in)
          if (auto* view = std::get_if<View>(&operand); view && view->base == array &&
                                                        view->extents == box.extents &&
                                                        first_of(*view, info) == box.first)
            *view = part.command.out;
      before[box.reader].push_back(std::move(part));
    }
    std::vector<Node> nodes;
    for (std::size_t r = 0; r < context_.nodes.size(); ++r) {
      if (r == n) continue;
      std::move(before[r].begin(), before[r].end(), std::back_inserter(nodes));
      nodes.push_back(std::move(context_.nodes[r]));
    }
    context_.nodes = std::move(nodes);
  }

  Context& context_;
  std::unordered_map<ArrayId, int> reads_;                  // how often
  std::unordered_set<ArrayId> read_in_parts_, kept_whole_;  // the latter: fetched, or written in place
};

}  // namespace

void cut_temporaries(Context& context) { Cutter(context).run(); }

}  // namespace gamelan::engine::plan
