// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/emitter.hpp"

namespace gamelan::engine::jit {

using Kind = Source::Kind;

void Emitter::emit(const Action& action, bool streams) {
  switch (action.kind) {
    case Action::Kind::fetch:
      return fetch(action);
    case Action::Kind::spill:
      return spill(action);
    case Action::Kind::compute:
      return node_of(action).dtype == Dtype::bool_ ? compute_mask(action) : compute(action);
    case Action::Kind::store:
      return store(node_of(action), action.in[0], streams);
    case Action::Kind::leave:
      break;  // the loop's
  }
}

void Emitter::jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to) {
  code_.jump_if_none(mask(condition), mask(other.kind == Kind::none ? condition : other), to);
}

void Emitter::fetch(const Action& action) {
  const int part = node_of(action).part;
  if (action.dtype == Dtype::bool_)
    fetch(mask(action.out), action.in[0], part);
  else
    fetch(vector(action.out, action.dtype), action.in[0], action.dtype, part);
}

void Emitter::fetch(Mask out, const Source& from, int part) {
  switch (from.kind) {
    case Kind::none:
      return code_.clear(out);
    case Kind::spill:
      return code_.restore(out, spill_slot(from.number));
    case Kind::repeat:
      return code_.repeat(out, first_element(from.number));
    case Kind::element:
      return code_.load(out, element(from.number, 1, part));
    default:
      return code_.move(out, mask(from));
  }
}

void Emitter::fetch(const Xmm& out, const Source& from, Dtype dtype, int part) {
  switch (from.kind) {
    case Kind::none:
      return code_.clear(out);
    case Kind::spill:
      return code_.restore(out, spill_slot(from.number));
    case Kind::repeat:
      return code_.repeat(dtype, out, first_element(from.number));
    case Kind::element:
      return code_.load(dtype, out, element(from.number, protocol::size_of(dtype), part));
    default:
      return code_.move(out, vector(from, dtype));
  }
}

void Emitter::spill(const Action& action) {
  const auto slot = spill_slot(action.out.number);
  if (action.dtype == Dtype::bool_)
    code_.save(slot, mask(action.in[0]));
  else
    code_.save(slot, vector(action.in[0], action.dtype));
}

void Emitter::store(const Node& node, const Source& from, bool streams) {
  const std::size_t size = protocol::size_of(node.dtype);
  if (node.dtype == Dtype::bool_) {
    Mask truth = mask(from);
    if (from.kind != Kind::mask) fetch(truth = code_.passing_mask(), from, node.part);
    return code_.store(element(node.place, size, node.part), truth);
  }
  Xmm value = vector(from, node.dtype);
  if (from.kind != Kind::vector) fetch(value = code_.passing(node.dtype), from, node.dtype, node.part);
  code_.store(node.dtype, element(node.place, size, node.part), value, streams && node.streams);
}

template <class Use>
void Emitter::with(const Source& operand, Dtype dtype, int part, const Use& use) {
  if (operand.kind == Kind::vector) return use(vector(operand, dtype));
  if (operand.kind == Kind::spill) return use(Xbyak::util::ptr[spill_slot(operand.number)]);
  if (operand.kind == Kind::element && !code_.is_tail())
    return use(Xbyak::util::ptr[element(operand.number, protocol::size_of(dtype), part)]);
  if (operand.kind == Kind::repeat && code_.broadcasts())
    return use(Xbyak::util::ptr_b[first_element(operand.number)]);
  const Xmm passing = code_.passing(dtype);
  fetch(passing, operand, dtype, part);
  use(passing);
}

void Emitter::compute(const Action& action) {
  const Node& node = node_of(action);
  const auto& [x, y, z] = action.in;
  const Xmm out = vector(action.out, node.dtype);
  if (node.kind == Node::Kind::convert) {
    return node.from == Dtype::bool_ ? code_.convert(mask(x), node.dtype, out)
                                     : code_.convert(node.from, node.dtype, out, vector(x, node.from));
  }
  if (node.op == Op::where)
    return code_.blend(node.dtype, out, mask(x), vector(y, node.dtype), vector(z, node.dtype));
  const Xmm first = vector(x, node.dtype);
  if (y.kind == Kind::none) return code_.unary(node.op, node.dtype, out, first);
  with(y, node.dtype, node.part,
       [&](const Xbyak::Operand& second) { code_.binary(node.op, node.dtype, out, first, second); });
}

void Emitter::compute_mask(const Action& action) {
  const Node& node = node_of(action);
  const auto& [x, y, z] = action.in;
  const Mask out = mask(action.out);
  if (node.from != Dtype::bool_) {
    const Xmm first = vector(x, node.from);
    if (node.kind == Node::Kind::convert)
      return code_.compare_with_zero(Op::not_equal, node.from, out, first);
    if (node.op == Op::logical_not) return code_.compare_with_zero(Op::equal, node.from, out, first);
    if (y.kind == Kind::none) return code_.compare(node.op, node.from, out, first, first);
    return with(y, node.from, node.part,
                [&](const Xbyak::Operand& second) { code_.compare(node.op, node.from, out, first, second); });
  }
  if (node.kind == Node::Kind::convert) return code_.move(out, mask(x));
  if (node.op == Op::where) return code_.choose(out, mask(x), mask(y), mask(z));
  code_.logic(node.op, out, mask(x), mask(y.kind == Kind::none ? x : y));
}

}  // namespace gamelan::engine::jit
