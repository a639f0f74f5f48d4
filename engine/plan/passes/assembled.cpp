// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan/passes/assembled.hpp"

#include <algorithm>

#include "engine/plan/passes/interior.hpp"

namespace gamelan::engine::plan {
namespace {

bool is_elementwise(const Node& node) {
  return node.kind == Node::Kind::elementwise && !node.takes_version &&
         protocol::info(node.command.op).kind != protocol::RowKind::nullary;
}

bool is_whole(const Context& context, const View& view) {
  const auto& info = context.arrays.at(view.base);
  return view.dtype == info.dtype && view.extents == info.extents &&
         protocol::same_elements(view, protocol::whole(view.base, info.dtype, info.extents));
}

bool is_plain_box(const Context& context, const protocol::Operand& operand) {
  const auto* view = std::get_if<View>(&operand);
  if (!view) return true;
  const auto& info = context.arrays.at(view->base);
  return distribution::box_of_base(*view, info.extents, info.dtype).has_value();
}

bool is_free_temporary(const Context& context, ArrayId array) {
  return is_dead_temporary(context, array) && !context.arrays.at(array).is_chosen &&
         !context.looks.contains(array) && !context.relayouts.contains(array);
}

bool keeps_dtype(const protocol::Command& copy, Dtype dtype) {
  const auto* view = std::get_if<View>(&copy.in[0]);
  return copy.loop == dtype && copy.out.dtype == dtype &&
         (view ? view->dtype : std::get<protocol::Scalar>(copy.in[0]).dtype) == dtype;
}

/// Where a dense box of an array begins; nullopt when the view is none.
std::optional<Shape> first_of(const View& view, const ArrayInfo& info) {
  const auto dims = info.extents.size();
  if (view.dtype != info.dtype || view.extents.size() != dims) return std::nullopt;
  const auto strides = protocol::contiguous_strides(info.extents, protocol::size_of(info.dtype));
  auto offset = view.offset;
  Shape first(dims);
  for (std::size_t k = 0; k < dims; ++k) {
    first[k] = offset / strides[k];
    offset -= first[k] * strides[k];
    if (view.extents[k] < 1 || first[k] + view.extents[k] > info.extents[k] ||
        (view.extents[k] > 1 && view.strides[k] != strides[k]))
      return std::nullopt;
  }
  return offset == 0 ? std::optional(first) : std::nullopt;
}

bool are_disjoint(const Assembled::Part& left, const Assembled::Part& right) {
  for (std::size_t k = 0; k < left.first.size(); ++k)
    if (left.first[k] + left.extents[k] <= right.first[k] ||
        right.first[k] + right.extents[k] <= left.first[k])
      return true;
  return false;
}

/// True when the parts are the whole array, each element once.
bool is_covered(const Assembled& array) {
  std::int64_t elements = 0;
  for (const auto& part : array.parts) elements += protocol::element_count(part.extents);
  if (elements != protocol::element_count(array.extents)) return false;
  for (auto part = array.parts.begin(); part != array.parts.end(); ++part)
    if (!std::all_of(array.parts.begin(), part,
                     [&](const auto& other) { return are_disjoint(*part, other); }))
      return false;
  return true;
}

/// The array that the node begins to make, when it is filled and read as an assembled one is.
std::optional<Assembled> assembled_from(const Context& context, std::size_t maker) {
  constexpr std::size_t most_parts = 16;
  const auto& nodes = context.nodes;
  const auto& begin = nodes[maker].command;
  const auto array = begin.out.base;
  const auto& info = context.arrays.at(array);
  Assembled found{info.extents, {}, {maker}, {}};
  for (std::size_t n = maker + 1; n < nodes.size(); ++n) {
    const auto& command = nodes[n].command;
    if (command.out.base == array) {
      const auto first = first_of(command.out, info);
      if (!first || !found.readers.empty() || !is_elementwise(nodes[n]) || command.op != Op::copy ||
          !keeps_dtype(command, info.dtype) || !is_plain_box(context, command.in[0]) ||
          found.parts.size() == most_parts)
        return std::nullopt;
      if (const auto* view = std::get_if<View>(&command.in[0]);
          view && (view->base == array || view->extents != command.out.extents))
        return std::nullopt;
      found.parts.push_back({*first, command.out.extents, command.in[0]});
      found.makers.push_back(n);
    }
    bool is_read = false;
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (!view || view->base != array) continue;
      if (!is_whole(context, *view)) return std::nullopt;
      is_read = true;
    }
    if (!is_read) continue;
    if (!can_be_split(context, nodes[n]) || command.out.extents != info.extents) return std::nullopt;
    found.readers.push_back(n);
  }
  return !found.readers.empty() && is_covered(found) ? std::optional(std::move(found)) : std::nullopt;
}

/// True when no node changes a source before the last reader has read it.
bool are_sources_kept(const Context& context, const Assembled& array) {
  for (std::size_t p = 0; p < array.parts.size(); ++p) {
    const auto* source = std::get_if<View>(&array.parts[p].source);
    if (!source) continue;
    for (auto n = array.makers[p + 1]; n < array.readers.back(); ++n)
      if (context.nodes[n].command.out.base == source->base) return false;
  }
  return true;
}

}  // namespace

protocol::Operand Assembled::source_of(const Shape& first, const Shape& box) const {
  for (const auto& part : parts) {
    bool is_inside = true;
    Shape within;
    for (std::size_t k = 0; k < box.size(); ++k) {
      within.push_back(first[k] - part.first[k]);
      is_inside = is_inside && within[k] >= 0 && within[k] + box[k] <= part.extents[k];
    }
    if (!is_inside) continue;
    const auto* view = std::get_if<View>(&part.source);
    return view ? protocol::Operand(part_of(*view, within, box)) : part.source;
  }
  throw protocol::Error(protocol::ErrorKind::internal, "[plan] a box lies in no part of its array");
}

bool can_be_split(const Context& context, const Node& node) {
  const auto& command = node.command;
  return is_elementwise(node) && command.creates && is_whole(context, command.out) &&
         !context.arrays.at(command.out.base).is_chosen && !context.looks.contains(command.out.base) &&
         !context.relayouts.contains(command.out.base) && command.payload < 0 &&
         std::all_of(command.in.begin(), command.in.end(), [&](const protocol::Operand& operand) {
           const auto* view = std::get_if<View>(&operand);
           return !view || (view->extents == command.out.extents && is_plain_box(context, operand));
         });
}

std::unordered_map<ArrayId, Assembled> find_assembled(const Context& context) {
  std::unordered_map<ArrayId, Assembled> found;
  for (std::size_t n = 0; n < context.nodes.size(); ++n) {
    const auto& command = context.nodes[n].command;
    const bool is_fill = is_elementwise(context.nodes[n]) && command.op == Op::copy && command.creates &&
                         std::holds_alternative<protocol::Scalar>(command.in[0]);
    if (!is_fill || !is_free_temporary(context, command.out.base) ||
        protocol::element_count(command.out.extents) == 0)
      continue;
    auto array = assembled_from(context, n);
    if (array && are_sources_kept(context, *array)) found.emplace(command.out.base, std::move(*array));
  }
  return found;
}

}  // namespace gamelan::engine::plan
