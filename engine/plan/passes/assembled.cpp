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

}  // namespace

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

bool are_disjoint(const Shape& left, const Shape& left_extents, const Shape& right,
                  const Shape& right_extents) {
  for (std::size_t k = 0; k < left.size(); ++k)
    if (left[k] + left_extents[k] <= right[k] || right[k] + right_extents[k] <= left[k]) return true;
  return false;
}

namespace {

/// True when the parts are the whole array, each element once.
bool is_covered(const Assembled& array) {
  std::int64_t elements = 0;
  for (const auto& part : array.parts) elements += protocol::element_count(part.extents);
  if (elements != protocol::element_count(array.extents)) return false;
  for (auto part = array.parts.begin(); part != array.parts.end(); ++part)
    if (!std::all_of(array.parts.begin(), part, [&](const auto& other) {
          return are_disjoint(part->first, part->extents, other.first, other.extents);
        }))
      return false;
  return true;
}

constexpr std::size_t most_parts = 16;

/// True when the node copies a dense box of the array into one of another, element by element.
bool copies_box_of(const Context& context, const Node& node, const ArrayInfo& info) {
  const auto& command = node.command;
  const auto* view = std::get_if<View>(&command.in[0]);
  return is_elementwise(node) && command.op == Op::copy && !command.creates &&
         view->extents == command.out.extents && view->dtype == info.dtype &&
         keeps_dtype(command, context.arrays.at(command.out.base).dtype) && first_of(*view, info) &&
         first_of(command.out, context.arrays.at(command.out.base));
}

/// The array that the node begins to make, when it is filled and read as an assembled one is.
std::optional<Assembled> assembled_from(const Context& context, std::size_t maker) {
  const auto& nodes = context.nodes;
  const auto& begin = nodes[maker].command;
  const auto array = begin.out.base;
  const auto& info = context.arrays.at(array);
  Assembled found{info.extents, {}, {maker}, {}, {}, {}};
  for (std::size_t n = maker + 1; n < nodes.size(); ++n) {
    const auto& command = nodes[n].command;
    if (command.out.base == array) {
      const auto first = first_of(command.out, info);
      if (!first || !found.readers.empty() || !found.copiers.empty() || !is_elementwise(nodes[n]) ||
          command.op != Op::copy || !keeps_dtype(command, info.dtype) ||
          !is_plain_box(context, command.in[0]) || found.parts.size() == most_parts)
        return std::nullopt;
      if (const auto* view = std::get_if<View>(&command.in[0]);
          view && (view->base == array || view->extents != command.out.extents))
        return std::nullopt;
      found.parts.push_back({*first, command.out.extents, command.in[0], n});
      found.makers.push_back(n);
    }
    bool is_read = false, is_read_whole = true;
    for (const auto& operand : command.in) {
      const auto* view = std::get_if<View>(&operand);
      if (!view || view->base != array) continue;
      is_read_whole = is_read_whole && is_whole(context, *view);
      is_read = true;
    }
    if (!is_read) continue;
    if (copies_box_of(context, nodes[n], info)) {
      found.copiers.push_back(n);
      continue;
    }
    if (!is_read_whole || !can_be_split(context, nodes[n]) || command.out.extents != info.extents)
      return std::nullopt;
    found.readers.push_back(n);
  }
  return !(found.readers.empty() && found.copiers.empty()) && is_covered(found)
             ? std::optional(std::move(found))
             : std::nullopt;
}

/// True when no node changes a source before the last reader has read it.
bool are_sources_kept(const Context& context, const Assembled& array) {
  if (array.readers.empty()) return true;
  for (const auto& part : array.parts) {
    const auto* source = std::get_if<View>(&part.source);
    if (!source) continue;
    for (auto n = part.maker; n < array.readers.back(); ++n)
      if (context.nodes[n].command.out.base == source->base) return false;
  }
  return true;
}

/// The parts of a part that copies a box of another assembled array: where these come from.
void add_parts_of(const Assembled& other, const Shape& begin, const Assembled::Part& part,
                  std::vector<Assembled::Part>& parts) {
  for (const auto& theirs : other.parts) {
    Shape first, from, extents;
    for (std::size_t k = 0; k < begin.size(); ++k) {
      from.push_back(std::max(begin[k], theirs.first[k]));
      extents.push_back(std::min(begin[k] + part.extents[k], theirs.first[k] + theirs.extents[k]) - from[k]);
      first.push_back(part.first[k] + from[k] - begin[k]);
    }
    if (std::all_of(extents.begin(), extents.end(), [](auto extent) { return extent > 0; }))
      parts.push_back({first, extents, other.source_of(from, extents), theirs.maker});
  }
}

/// Parts that copy other assembled arrays are read where those come from.
void look_through(const Context& context, const AssembledArrays& arrays, Assembled& array) {
  std::vector<Assembled::Part> parts;
  for (const auto& part : array.parts) {
    const auto* source = std::get_if<View>(&part.source);
    const auto other = source ? arrays.find(source->base) : arrays.end();
    if (other == arrays.end()) {
      parts.push_back(part);
      continue;
    }
    add_parts_of(other->second, *first_of(*source, context.arrays.at(source->base)), part, parts);
    array.through.push_back(source->base);
  }
  array.parts = std::move(parts);
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

void take_out(AssembledArrays& arrays, ArrayId id) {
  const auto found = arrays.find(id);
  if (found == arrays.end()) return;
  const auto through = std::move(found->second.through);
  arrays.erase(found);
  for (const auto each : through) take_out(arrays, each);
}

AssembledArrays find_assembled(const Context& context) {
  AssembledArrays found;
  std::vector<ArrayId> order;  // by the last maker: who copies an array comes behind it
  for (std::size_t n = 0; n < context.nodes.size(); ++n) {
    const auto& command = context.nodes[n].command;
    const bool is_fill = is_elementwise(context.nodes[n]) && command.op == Op::copy && command.creates &&
                         std::holds_alternative<protocol::Scalar>(command.in[0]);
    if (!is_fill || !is_free_temporary(context, command.out.base) ||
        protocol::element_count(command.out.extents) == 0)
      continue;
    auto array = assembled_from(context, n);
    if (!array) continue;
    order.push_back(command.out.base);
    found.emplace(command.out.base, std::move(*array));
  }
  std::sort(order.begin(), order.end(), [&](ArrayId left, ArrayId right) {
    return found.at(left).makers.back() < found.at(right).makers.back();
  });
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const auto& copiers = found.at(*id).copiers;
    if (!std::all_of(copiers.begin(), copiers.end(),
                     [&](std::size_t n) { return found.contains(context.nodes[n].command.out.base); }))
      found.erase(*id);
  }
  for (const auto id : order) {
    const auto array = found.find(id);
    if (array == found.end()) continue;
    look_through(context, found, array->second);
    if (array->second.parts.size() > most_parts || !are_sources_kept(context, array->second))
      take_out(found, id);
  }
  return found;
}

}  // namespace gamelan::engine::plan
