// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/hazards.hpp"

#include <algorithm>

#include "engine/plan/passes/interior.hpp"

namespace gamelan::engine::plan {

bool is_misaligned(const View& read, const View& write) {
  return read.base == write.base && !protocol::same_elements(read, write) &&
         protocol::may_overlap(read, write);
}

bool overlaps_itself(const protocol::Command& command) {
  return std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    return view && is_misaligned(*view, command.out);
  });
}

bool needs_version(const Group& group, const Node& node) {
  return node.takes_version || overlaps_itself(node.command) ||
         std::any_of(group.reads.begin(), group.reads.end(),
                     [&](const View& read) { return is_misaligned(read, node.command.out); });
}

bool depends_on(const protocol::Command& command, const Group& group) {
  const auto touches = [](const std::vector<View>& views, const View& view) {
    return std::any_of(views.begin(), views.end(), [&](const View& other) {
      return other.base == view.base && protocol::may_overlap(other, view);
    });
  };
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand); view && touches(group.writes, *view)) return true;
  // A copy may take over the version before such a group's, so later writes to other parts of the array must
  // come after it.
  if (group.versioned.contains(command.out.base)) return true;
  return touches(group.reads, command.out) || touches(group.writes, command.out);
}

bool is_written_by(const Group& group, std::size_t i, const View& view, const Context& context) {
  const auto& write = group.writes[i];
  if (write.base != view.base) return false;
  if (!group.interior || i >= group.interior->nodes) return protocol::same_elements(write, view);
  return origin_in(write, view, context.arrays.at(view.base)) == group.interior->first;
}

bool is_misread(const Group& group, const View& view, const Context& context) {
  for (std::size_t i = 0; i < group.writes.size(); ++i)
    if (is_misaligned(view, group.writes[i]) && !is_written_by(group, i, view, context)) return true;
  return false;
}

bool continues(const Group& group, const protocol::Command& command, const Context& context) {
  return std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    if (!view) return false;
    for (std::size_t i = 0; i < group.writes.size(); ++i)
      if (is_written_by(group, i, *view, context)) return true;
    return false;
  });
}

}  // namespace gamelan::engine::plan
