// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/emitter.hpp"

namespace gamelan::engine::jit {
namespace {

using Kind = Source::Kind;

const Xbyak::Opmask tail(tail_mask);

}  // namespace

void Emitter::emit(const Action& action, Part part, bool streams) {
  switch (action.kind) {
    case Action::Kind::fetch:
      return fetch(action, part);
    case Action::Kind::spill:
      return spill(action);
    case Action::Kind::compute:
      return compute(action, part);
    case Action::Kind::store:
      return store(node_of(action), action.in[0], part, streams);
    case Action::Kind::leave:
      break;  // the loop's
  }
}

void Emitter::jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to) {
  const Opmask first = mask(condition), second = other.kind == Kind::none ? first : mask(other);
  if (lanes_ == 8)
    kortestb(first, second);
  else
    kortestw(first, second);
  jz(to, T_NEAR);
}

void Emitter::fetch(const Action& action, Part part) {
  const int vector_of = node_of(action).part;
  if (action.dtype == Dtype::bool_)
    fetch_mask(mask(action.out), action.in[0], vector_of, part);
  else
    fetch_vector(vector(action.out, action.dtype), action.in[0], action.dtype, vector_of, part);
}

void Emitter::fetch_mask(const Opmask& out, const Source& from, int vector_of, Part part) {
  const Xmm bytes(spare_vector);
  switch (from.kind) {
    case Kind::none:
      return kxorw(out, out, out);
    case Kind::mask:
      return kmovw(out, mask(from));
    case Kind::spill:
      return kmovw(out, word[spill_slot(from.number)]);
    case Kind::repeat:
      vpbroadcastb(bytes, byte[first_element(from.number)]);
      break;
    default:
      if (part == Part::masked)
        vmovdqu8(bytes | tail | T_z, xword[element(from.number, 1, vector_of)]);
      else if (lanes_ == 8)
        vmovq(bytes, qword[element(from.number, 1, vector_of)]);
      else
        vmovdqu8(bytes, xword[element(from.number, 1, vector_of)]);
  }
  vptestmb(out, bytes, bytes);
}

void Emitter::fetch_vector(const Xmm& out, const Source& from, Dtype dtype, int vector_of, Part part) {
  const std::size_t size = protocol::size_of(dtype);
  switch (from.kind) {
    case Kind::none:
      return vpxord(out, out, out);
    case Kind::vector:
      return vmovapd(out, vector(from, dtype));
    case Kind::spill:
      return vmovapd(out, ptr[spill_slot(from.number)]);
    case Kind::repeat:
      if (size == 8)
        vpbroadcastq(out, qword[first_element(from.number)]);
      else
        vpbroadcastd(out, dword[first_element(from.number)]);
      return;
    default:
      break;
  }
  const Xbyak::Address address = ptr[element(from.number, size, vector_of)];
  if (part == Part::whole)
    vmovupd(out, address);
  else if (size == 8)
    vmovupd(out | tail | T_z, address);
  else
    vmovups(out | tail | T_z, address);
}

void Emitter::spill(const Action& action) {
  if (action.dtype == Dtype::bool_)
    kmovw(word[spill_slot(action.out.number)], mask(action.in[0]));
  else
    vmovapd(ptr[spill_slot(action.out.number)], vector(action.in[0], action.dtype));
}

void Emitter::store(const Node& node, const Source& from, Part part, bool streams) {
  const std::size_t size = protocol::size_of(node.dtype);
  if (node.dtype == Dtype::bool_) {
    Opmask truth = mask(from);
    if (from.kind != Kind::mask) fetch_mask(truth = Opmask(spare_mask), from, node.part, part);
    const Xmm bytes(spare_vector);
    vmovdqu8(bytes | truth | T_z, constant(1, node.dtype));
    const auto to = element(node.place, size, node.part);
    if (part == Part::masked)
      vmovdqu8(xword[to] | tail, bytes);
    else if (lanes_ == 8)
      vmovq(qword[to], bytes);
    else
      vmovdqu8(xword[to], bytes);
    return;
  }
  Xmm value = vector(from, node.dtype);
  if (from.kind != Kind::vector)
    fetch_vector(value = vector(spare_vector, node.dtype), from, node.dtype, node.part, part);
  const auto to = element(node.place, size, node.part);
  if (part == Part::masked)
    size == 8 ? vmovupd(ptr[to] | tail, value) : vmovups(ptr[to] | tail, value);
  else if (streams && node.streams)
    vmovntpd(ptr[to], value);
  else
    vmovupd(ptr[to], value);
}

void Emitter::compute(const Action& action, Part part) {
  const Node& node = node_of(action);
  const auto& [x, y, z] = action.in;
  if (node.dtype == Dtype::bool_) return compute_mask(action);
  const Xmm out = vector(action.out, node.dtype);
  if (node.kind == Node::Kind::convert) {
    return node.from == Dtype::bool_ ? convert(mask(x), node.dtype, out)
                                     : convert(node.from, node.dtype, out, vector(x, node.from));
  }
  if (node.op == Op::where)
    return blend(node.dtype, out, mask(x), vector(y, node.dtype), vector(z, node.dtype));
  const Xmm first = vector(x, node.dtype);
  switch (y.kind) {
    case Kind::none:
      return unary(node.op, node.dtype, out, first);
    case Kind::vector:
      return binary(node.op, node.dtype, out, first, vector(y, node.dtype));
    case Kind::repeat:
      return binary(node.op, node.dtype, out, first, ptr_b[first_element(y.number)]);
    default:
      break;
  }
  if (part == Part::whole)
    return binary(node.op, node.dtype, out, first,
                  ptr[element(y.number, protocol::size_of(node.dtype), node.part)]);
  const Xmm second = vector(spare_vector, node.dtype);
  fetch_vector(second, y, node.dtype, node.part, part);
  binary(node.op, node.dtype, out, first, second);
}

void Emitter::compute_mask(const Action& action) {
  const Node& node = node_of(action);
  const auto& [x, y, z] = action.in;
  const Opmask out = mask(action.out);
  if (node.from != Dtype::bool_) {
    const Xmm first = vector(x, node.from);
    if (node.kind == Node::Kind::convert)
      return compare(Op::not_equal, node.from, out, first, constant(0, node.from));
    if (node.op == Op::logical_not) return compare(Op::equal, node.from, out, first, constant(0, node.from));
    return compare(node.op, node.from, out, first, y.kind == Kind::none ? first : vector(y, node.from));
  }
  if (node.op == Op::where) return choose(out, mask(x), mask(y), mask(z));
  logic(node.op, out, mask(x), mask(y.kind == Kind::none ? x : y));
}

}  // namespace gamelan::engine::jit
