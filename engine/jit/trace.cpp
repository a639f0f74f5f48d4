// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/trace.hpp"

#include <algorithm>

namespace gamelan::engine::jit {
namespace {

bool is_floating(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::float32; }
bool is_integer(Dtype dtype) { return dtype == Dtype::int64 || dtype == Dtype::int32; }
bool is_byte(Dtype dtype) { return dtype == Dtype::int8 || dtype == Dtype::uint8; }

}  // namespace

bool holds(Dtype dtype, InstructionSet set) {
  if (is_byte(dtype)) return set == InstructionSet::avx2;
  return is_floating(dtype) || is_integer(dtype) || dtype == Dtype::bool_;
}

bool computes(Op op, Dtype loop, InstructionSet set) {
  if (!holds(loop, set)) return false;
  switch (op) {
    case Op::copy:
    case Op::absolute:
    case Op::add:
    case Op::multiply:
    case Op::maximum:
    case Op::minimum:
    case Op::logical_not:
    case Op::equal:
    case Op::not_equal:
    case Op::where:
      return true;
    case Op::positive:
    case Op::negative:
    case Op::square:
    case Op::subtract:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return loop != Dtype::bool_;
    case Op::fabs:
    case Op::reciprocal:
    case Op::sqrt:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::rint:
    case Op::divide:
      return is_floating(loop);
    case Op::isnan:
    case Op::isfinite:
      return is_floating(loop);
    case Op::exp:  // with AVX-512 the loops take libmvec's
      return loop == Dtype::float64 && set == InstructionSet::avx2;
    case Op::invert:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return !is_floating(loop);
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return loop == Dtype::bool_;
    default:
      return false;
  }
}

bool converts(Dtype from, Dtype to, InstructionSet set) {
  if (!holds(from, set) || !holds(to, set)) return false;
  if (from != Dtype::bool_ && to != Dtype::bool_ && width_of(from) != width_of(to)) return false;
  return from == to || !is_floating(from) || is_floating(to) ||
         to == Dtype::bool_;  // but not float to integer
}

Width width_of(Dtype dtype) {
  if (dtype == Dtype::bool_) return Width::any;
  return is_byte(dtype) ? Width::byte : Width::wide;
}

bool has_bytes_only(const Trace& trace) {
  return std::all_of(trace.nodes.begin(), trace.nodes.end(), [](const Node& node) {
    const bool reads = node.kind == Node::Kind::convert || node.kind == Node::Kind::compute;
    return protocol::size_of(node.dtype) == 1 && (!reads || protocol::size_of(node.from) == 1);
  });
}

int lanes(const Trace& trace, int vector_bytes, std::size_t least_bytes) {
  std::size_t widest = least_bytes;
  for (const Node& node : trace.nodes) {
    widest = std::max(widest, protocol::size_of(node.dtype));
    if (node.kind == Node::Kind::convert || node.kind == Node::Kind::compute)
      widest = std::max(widest, protocol::size_of(node.from));
  }
  return vector_bytes / static_cast<int>(widest);
}

bool has_wraps(const Trace& trace) {
  return std::find(trace.wraps.begin(), trace.wraps.end(), true) != trace.wraps.end();
}

Widened widen(const Trace& trace, int parts) {
  Widened wide{{{}, trace.alias, trace.wraps}, {}};
  for (const Node& node : trace.nodes) {
    auto& places = wide.places.emplace_back();
    for (int part = 0; part < parts; ++part) {
      const auto p = static_cast<std::size_t>(part);
      if (node.kind == Node::Kind::repeat && part > 0) {
        places[p] = places[0];
        continue;
      }
      Node copy = node;
      copy.part = part;
      for (int& value : copy.in)
        if (value >= 0) value = wide.places[static_cast<std::size_t>(value)][p];
      places[p] = static_cast<int>(wide.trace.nodes.size());
      wide.trace.nodes.push_back(copy);
    }
  }
  return wide;
}

Pressure pressure(const Trace& trace) {
  std::vector<std::size_t> last_use(trace.nodes.size(), 0);
  for (std::size_t n = 0; n < trace.nodes.size(); ++n)
    for (const int value : trace.nodes[n].in)
      if (value >= 0) last_use[static_cast<std::size_t>(value)] = n;
  std::vector<Pressure> ends(trace.nodes.size());
  Pressure now, most;
  for (std::size_t n = 0; n < trace.nodes.size(); ++n) {
    const Node& node = trace.nodes[n];
    if (last_use[n] > n && node.kind != Node::Kind::repeat) {
      const bool is_mask = node.dtype == Dtype::bool_;
      ++(is_mask ? now.masks : now.vectors);
      ++(is_mask ? ends[last_use[n]].masks : ends[last_use[n]].vectors);
      most = {std::max(most.vectors, now.vectors), std::max(most.masks, now.masks),
              std::max(most.all, now.vectors + now.masks)};
    }
    now.vectors -= ends[n].vectors;
    now.masks -= ends[n].masks;
  }
  return most;
}

}  // namespace gamelan::engine::jit
