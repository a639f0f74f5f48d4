// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/uninterruptible.hpp"

#include <algorithm>

namespace gamelan::engine::plan {
namespace {

constexpr double pass_s = 2e-9, light_s = 0.5e-9, transcendental_s = 4e-9, irregular_s = 25e-9,
                 product_s = 0.1e-9;  // for an element

double elements_of(const protocol::Command& command) {
  auto elements = protocol::element_count(command.out.extents);
  for (const auto& operand : command.in)
    if (const auto* view = std::get_if<View>(&operand))
      elements = std::max(elements, protocol::element_count(view->extents));
  return static_cast<double>(elements);
}

}  // namespace

double seconds_of(const Context& context, const Node& node) {
  const auto& command = node.command;
  double seconds = light_s;
  if (node.kind == Node::Kind::matmul)
    seconds = product_s * static_cast<double>(std::get<View>(command.in[0]).extents.back());
  else if (node.kind != Node::Kind::elementwise && node.kind != Node::Kind::reduce)
    seconds = irregular_s;
  else if (protocol::info(command.op).traits & protocol::transcendental)
    seconds = transcendental_s;
  return seconds * elements_of(command) / context.options.ranks;
}

void UninterruptibleRegions::add(std::size_t group, const Node& node) {
  const double seconds = seconds_of(context_, node);
  if (group == parts_.size()) {
    parts_.push_back({group, seconds + pass_s * elements_of(node.command) / context_.options.ranks});
  } else {
    if (overtakes(group, node))
      for (std::size_t later = group + 1; later < parts_.size(); ++later)
        parts_[later].first = std::min(parts_[later].first, parts_[group].first);
    parts_[group].seconds += seconds;
  }
  parts_[group].is_seen = parts_[group].is_seen || is_seen(context_, node.command.out.base);
}

bool UninterruptibleRegions::overtakes(std::size_t group, const Node& node) const {
  return !node.command.creates && is_seen(context_, node.command.out.base) &&
         std::any_of(parts_.begin() + static_cast<std::ptrdiff_t>(group) + 1, parts_.end(),
                     [](const Part& part) { return part.is_seen; });
}

bool UninterruptibleRegions::admits(std::size_t group, const Node& node) const {
  if (!overtakes(group, node)) return true;
  double seconds = 0;
  for (std::size_t g = parts_[group].first; g < parts_.size(); ++g) seconds += parts_[g].seconds;
  return seconds <= longest_uninterruptible_s;
}

}  // namespace gamelan::engine::plan
