// SPDX-License-Identifier: BSD-3-Clause
// What is written over before anybody reads it need not be written. `np.concatenate`, `np.roll` and
// `np.stack` begin with an array of zeros, and then copy their parts over all of them: the zeros cost as much
// as the copies. Only within one call of the user's, because an interrupt may end between two (calls.hpp).
#include <algorithm>

#include "engine/plan/calls.hpp"
#include "engine/plan/passes/assembled.hpp"
#include "engine/plan/passes/passes.hpp"

namespace gamelan::engine::plan {
namespace {

constexpr std::size_t most_compared = 64;  // parts, each with all others

struct Box {
  Shape first, extents;
};

bool reads(const protocol::Command& command, ArrayId array) {
  return std::any_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
    const auto* view = std::get_if<View>(&operand);
    return view && view->base == array;
  });
}

/// True for a new array that is the same number everywhere.
bool is_fill(const Node& node) {
  const auto& command = node.command;
  return node.kind == Node::Kind::elementwise && command.op == Op::copy && command.creates &&
         node.source >= 0 && std::holds_alternative<protocol::Scalar>(command.in[0]);
}

using BoxOf = std::optional<Box> (*)(const View&, const ArrayInfo&);

/// The view as a box of its array; nullopt when it is none.
std::optional<Box> box_of(const View& view, const ArrayInfo& info) {
  auto first = first_of(view, info);
  if (!first) return std::nullopt;
  return Box{std::move(*first), view.extents};
}

/// The view as a run of the array's elements in C order; nullopt when it is none.
std::optional<Box> run_of(const View& view, const ArrayInfo& info) {
  const auto item = static_cast<std::int64_t>(protocol::size_of(info.dtype));
  auto packed = view;
  packed.strides = protocol::contiguous_strides(view.extents, static_cast<std::size_t>(item));
  if (view.dtype != info.dtype || view.offset % item != 0 || !protocol::same_elements(view, packed))
    return std::nullopt;
  return Box{{view.offset / item}, {protocol::element_count(view.extents)}};
}

/// True for parts that have no element in common, each of which is a box.
bool are_apart(const std::vector<const View*>& parts, const ArrayInfo& info, BoxOf find_box) {
  std::vector<Box> boxes;
  for (const auto* part : parts) {
    auto box = find_box(*part, info);
    if (!box || std::any_of(boxes.begin(), boxes.end(), [&](const Box& other) {
          return !are_disjoint(box->first, box->extents, other.first, other.extents);
        }))
      return false;
    boxes.push_back(std::move(*box));
  }
  return true;
}

/// True when the nodes behind a fill, up to the end of its call, write every element before one is read.
bool is_overwritten(const Context& context, const protocol::Batch& batch, std::size_t fill) {
  const auto& nodes = context.nodes;
  const auto begin = nodes[fill].source;
  auto end = begin + 1;  // of the call
  while (goes_on(batch, static_cast<std::size_t>(end))) ++end;
  const auto array = nodes[fill].command.out.base;
  const auto& info = context.arrays.at(array);
  auto left = protocol::element_count(info.extents);
  std::vector<const View*> parts;
  for (auto n = fill + 1; n < nodes.size() && left > 0; ++n) {
    const auto& node = nodes[n];
    if (node.source < begin || node.source >= end || reads(node.command, array)) return false;
    if (node.command.out.base != array) continue;
    if (node.kind != Node::Kind::elementwise || node.takes_version || parts.size() == most_compared)
      return false;
    parts.push_back(&node.command.out);
    left -= protocol::element_count(node.command.out.extents);
  }
  return left == 0 && !parts.empty() && (are_apart(parts, info, box_of) || are_apart(parts, info, run_of));
}

}  // namespace

void find_overwritten(Context& context, const protocol::Batch& batch) {
  for (std::size_t n = 0; n < context.nodes.size(); ++n)
    if (is_fill(context.nodes[n])) context.nodes[n].is_overwritten = is_overwritten(context, batch, n);
}

}  // namespace gamelan::engine::plan
