// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/emitter.hpp"

#include <bit>

namespace gamelan::engine::jit {
namespace {

using Kind = Source::Kind;

// Registers that no schedule gives out.
constexpr int spare_vector = vector_registers;
const Xbyak::Opmask tail(1), spare_mask(first_mask + mask_registers), other_spare_mask(first_mask + mask_registers + 1);

// Predicates of comparisons: quiet, and false of NaN except for `not equal`.
constexpr std::uint8_t equal = 0x00, unordered = 0x03, not_equal = 0x04, less = 0x11, less_equal = 0x12, greater_equal = 0x1d, greater = 0x1e;
constexpr std::uint8_t integer_equal = 0, integer_less = 1, integer_less_equal = 2, integer_not_equal = 4, integer_greater_equal = 5,
                       integer_greater = 6;
// Rounding without an exception.
constexpr std::uint8_t to_nearest = 0x8, down = 0x9, up = 0xa, towards_zero = 0xb;
constexpr std::uint8_t not_third = 0x55;  // truth table of vpternlog

std::uint64_t sign_bits(Dtype dtype) { return std::uint64_t{1} << (8 * protocol::size_of(dtype) - 1); }
std::uint64_t one(Dtype dtype) {
  if (dtype == Dtype::float64) return std::bit_cast<std::uint64_t>(1.0);
  if (dtype == Dtype::float32) return std::bit_cast<std::uint32_t>(1.0F);
  return 1;
}
std::uint64_t infinity(Dtype dtype) { return dtype == Dtype::float64 ? 0x7ff0000000000000U : 0x7f800000U; }

}  // namespace

Emitter::Emitter(int lanes, std::size_t most_bytes) : CodeGenerator(most_bytes, Xbyak::DontSetProtectRWE), lanes_(lanes) {}

Emitter::Xmm Emitter::vector(int number, Dtype dtype) const {
  const auto bytes = static_cast<std::size_t>(lanes_) * protocol::size_of(dtype);
  return {bytes == 64 ? Xbyak::Operand::ZMM : bytes == 32 ? Xbyak::Operand::YMM : Xbyak::Operand::XMM, number};
}

Xbyak::Address Emitter::constant(std::uint64_t bits, Dtype dtype) {
  const auto& label = constants_[{bits, static_cast<int>(protocol::size_of(dtype))}];
  return protocol::size_of(dtype) == 1 ? xword[rip + label] : ptr_b[rip + label];
}

void Emitter::emit_constants() {
  for (auto& [key, label] : constants_) {
    align(16);
    L(label);
    for (int k = 0; k < 16 / key.second; ++k) db(key.first, static_cast<std::size_t>(key.second));
  }
}

void Emitter::emit(const Action& action, Part part, bool streams) {
  switch (action.kind) {
    case Action::Kind::fetch: return fetch(action, part);
    case Action::Kind::spill: return spill(action);
    case Action::Kind::compute: return compute(action, part);
    case Action::Kind::store: return store(node_of(action), action.in[0], part, streams);
    case Action::Kind::leave: break;  // the loop's
  }
}

void Emitter::jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to) {
  const Opmask first = mask(condition), second = other.kind == Kind::none ? first : mask(other);
  if (lanes_ == 8) kortestb(first, second);
  else kortestw(first, second);
  jz(to, T_NEAR);
}

void Emitter::fetch(const Action& action, Part part) {
  const int vector_of = node_of(action).part;
  if (action.dtype == Dtype::bool_) fetch_mask(mask(action.out), action.in[0], vector_of, part);
  else fetch_vector(vector(action.out, action.dtype), action.in[0], action.dtype, vector_of, part);
}

void Emitter::fetch_mask(const Opmask& out, const Source& from, int vector_of, Part part) {
  const Xmm bytes(spare_vector);
  switch (from.kind) {
    case Kind::none: return kxorw(out, out, out);
    case Kind::mask: return kmovw(out, mask(from));
    case Kind::spill: return kmovw(out, word[spill_slot(from.number)]);
    case Kind::repeat: vpbroadcastb(bytes, byte[first_element(from.number)]); break;
    default:
      if (part == Part::masked) vmovdqu8(bytes | tail | T_z, xword[element(from.number, 1, vector_of)]);
      else if (lanes_ == 8) vmovq(bytes, qword[element(from.number, 1, vector_of)]);
      else vmovdqu8(bytes, xword[element(from.number, 1, vector_of)]);
  }
  vptestmb(out, bytes, bytes);
}

void Emitter::fetch_vector(const Xmm& out, const Source& from, Dtype dtype, int vector_of, Part part) {
  const std::size_t size = protocol::size_of(dtype);
  switch (from.kind) {
    case Kind::none: return vpxord(out, out, out);
    case Kind::vector: return vmovapd(out, vector(from, dtype));
    case Kind::spill: return vmovapd(out, ptr[spill_slot(from.number)]);
    case Kind::repeat:
      if (size == 8) vpbroadcastq(out, qword[first_element(from.number)]);
      else vpbroadcastd(out, dword[first_element(from.number)]);
      return;
    default: break;
  }
  const Xbyak::Address address = ptr[element(from.number, size, vector_of)];
  if (part == Part::whole) vmovupd(out, address);
  else if (size == 8) vmovupd(out | tail | T_z, address);
  else vmovups(out | tail | T_z, address);
}

void Emitter::spill(const Action& action) {
  if (action.dtype == Dtype::bool_) kmovw(word[spill_slot(action.out.number)], mask(action.in[0]));
  else vmovapd(ptr[spill_slot(action.out.number)], vector(action.in[0], action.dtype));
}

void Emitter::store(const Node& node, const Source& from, Part part, bool streams) {
  const std::size_t size = protocol::size_of(node.dtype);
  if (node.dtype == Dtype::bool_) {
    Opmask truth = mask(from);
    if (from.kind != Kind::mask) fetch_mask(truth = spare_mask, from, node.part, part);
    const Xmm bytes(spare_vector);
    vmovdqu8(bytes | truth | T_z, constant(1, node.dtype));
    const auto to = element(node.place, size, node.part);
    if (part == Part::masked) vmovdqu8(xword[to] | tail, bytes);
    else if (lanes_ == 8) vmovq(qword[to], bytes);
    else vmovdqu8(xword[to], bytes);
    return;
  }
  Xmm value = vector(from, node.dtype);
  if (from.kind != Kind::vector) fetch_vector(value = vector(spare_vector, node.dtype), from, node.dtype, node.part, part);
  const auto to = element(node.place, size, node.part);
  if (part == Part::masked) size == 8 ? vmovupd(ptr[to] | tail, value) : vmovups(ptr[to] | tail, value);
  else if (streams && node.streams) vmovntpd(ptr[to], value);
  else vmovupd(ptr[to], value);
}

void Emitter::compute(const Action& action, Part part) {
  const Node& node = node_of(action);
  if (node.dtype == Dtype::bool_) return compute_mask(action);
  const Xmm out = vector(action.out, node.dtype);
  if (node.kind == Node::Kind::convert) return convert(node.from, node.dtype, out, action.in[0]);
  if (node.op == Op::where) {
    return blend(node.dtype, out, mask(action.in[0]), vector(action.in[1], node.dtype), vector(action.in[2], node.dtype));
  }
  const Xmm x = vector(action.in[0], node.dtype);
  if (action.in[1].kind == Kind::none) return compute_unary(node.op, node.dtype, out, x);
  if (action.in[1].kind == Kind::vector) return compute_binary(node.op, node.dtype, out, x, vector(action.in[1], node.dtype));
  if (action.in[1].kind == Kind::repeat) return compute_binary(node.op, node.dtype, out, x, ptr_b[first_element(action.in[1].number)]);
  if (part == Part::whole) return compute_binary(node.op, node.dtype, out, x, ptr[element(action.in[1].number, protocol::size_of(node.dtype), node.part)]);
  const Xmm y = vector(spare_vector, node.dtype);
  fetch_vector(y, action.in[1], node.dtype, node.part, part);
  compute_binary(node.op, node.dtype, out, x, y);
}

void Emitter::compute_mask(const Action& action) {
  const Node& node = node_of(action);
  const Opmask out = mask(action.out);
  if (node.from != Dtype::bool_) {
    const Xmm x = vector(action.in[0], node.from);
    if (node.kind == Node::Kind::convert) return compare(Op::not_equal, node.from, out, x, constant(0, node.from));
    if (node.op == Op::logical_not) return compare(Op::equal, node.from, out, x, constant(0, node.from));
    if (action.in[1].kind == Kind::none) return compare(node.op, node.from, out, x, x);
    return compare(node.op, node.from, out, x, vector(action.in[1], node.from));
  }
  const Opmask x = mask(action.in[0]), y = mask(action.in[1].kind == Kind::none ? action.in[0] : action.in[1]);
  switch (node.op) {
    case Op::add:
    case Op::maximum:
    case Op::logical_or:
    case Op::bitwise_or: return korw(out, x, y);
    case Op::multiply:
    case Op::minimum:
    case Op::logical_and:
    case Op::bitwise_and: return kandw(out, x, y);
    case Op::not_equal:
    case Op::logical_xor:
    case Op::bitwise_xor: return kxorw(out, x, y);
    case Op::equal: return kxnorw(out, x, y);
    case Op::logical_not:
    case Op::invert: return knotw(out, x);
    case Op::where:
      kandw(spare_mask, x, y);
      kandnw(other_spare_mask, x, mask(action.in[2]));
      return korw(out, spare_mask, other_spare_mask);
    default: return kmovw(out, x);  // copy, absolute
  }
}

void Emitter::compute_unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) {
  const bool wide = is_wide(dtype);
  if (op == Op::copy || op == Op::positive) return vmovapd(out, x);
  if (op == Op::square) return compute_binary(Op::multiply, dtype, out, x, x);
  const Xmm spare = vector(spare_vector, dtype);
  if (!is_float(dtype)) {
    if (op == Op::absolute) return wide ? vpabsq(out, x) : vpabsd(out, x);
    if (op == Op::invert) return wide ? vpternlogq(out, x, x, not_third) : vpternlogd(out, x, x, not_third);
    vpxord(spare, spare, spare);  // negative
    return compute_binary(Op::subtract, dtype, out, spare, x);
  }
  const auto round = [&](std::uint8_t how) { wide ? vrndscalepd(out, x, how) : vrndscaleps(out, x, how); };
  switch (op) {
    case Op::absolute:
    case Op::fabs: return wide ? vandpd(out, x, constant(~sign_bits(dtype), dtype)) : vandps(out, x, constant(0x7fffffffU, dtype));
    case Op::negative: return wide ? vxorpd(out, x, constant(sign_bits(dtype), dtype)) : vxorps(out, x, constant(sign_bits(dtype), dtype));
    case Op::reciprocal:
      wide ? vpbroadcastq(spare, qword[rip + constants_[{one(dtype), 8}]]) : vpbroadcastd(spare, dword[rip + constants_[{one(dtype), 4}]]);
      return compute_binary(Op::divide, dtype, out, spare, x);
    case Op::sqrt: return wide ? vsqrtpd(out, x) : vsqrtps(out, x);
    case Op::floor: return round(down);
    case Op::ceil: return round(up);
    case Op::trunc: return round(towards_zero);
    default: return round(to_nearest);  // rint
  }
}

void Emitter::compute_binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (is_float(dtype)) {
    switch (op) {
      case Op::add: return wide ? vaddpd(out, x, y) : vaddps(out, x, y);
      case Op::subtract: return wide ? vsubpd(out, x, y) : vsubps(out, x, y);
      case Op::multiply: return wide ? vmulpd(out, x, y) : vmulps(out, x, y);
      case Op::divide: return wide ? vdivpd(out, x, y) : vdivps(out, x, y);
      default: return choose_larger(op, dtype, out, x, static_cast<const Xmm&>(y));
    }
  }
  switch (op) {
    case Op::add: return wide ? vpaddq(out, x, y) : vpaddd(out, x, y);
    case Op::subtract: return wide ? vpsubq(out, x, y) : vpsubd(out, x, y);
    case Op::multiply: return wide ? vpmullq(out, x, y) : vpmulld(out, x, y);
    case Op::bitwise_and: return vpandq(out, x, y);
    case Op::bitwise_or: return vporq(out, x, y);
    case Op::bitwise_xor: return vpxorq(out, x, y);
    case Op::maximum: return wide ? vpmaxsq(out, x, y) : vpmaxsd(out, x, y);
    default: return wide ? vpminsq(out, x, y) : vpminsd(out, x, y);
  }
}

/// NumPy's rule: x if x >= y or x is NaN, else y (maximum); smaller likewise.
void Emitter::choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y) {
  compare(op == Op::maximum ? Op::greater_equal : Op::less_equal, dtype, spare_mask, x, y);
  compare(Op::isnan, dtype, other_spare_mask, x, x);
  korw(spare_mask, spare_mask, other_spare_mask);
  blend(dtype, out, spare_mask, x, y);
}

void Emitter::blend(Dtype dtype, const Xmm& out, const Opmask& condition, const Xmm& then, const Xmm& otherwise) {
  is_wide(dtype) ? vblendmpd(out | condition, otherwise, then) : vblendmps(out | condition, otherwise, then);
}

void Emitter::compare(Op op, Dtype dtype, const Opmask& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (!is_float(dtype)) {
    const std::uint8_t predicate = op == Op::equal ? integer_equal : op == Op::not_equal ? integer_not_equal : op == Op::less ? integer_less
                                   : op == Op::less_equal ? integer_less_equal : op == Op::greater ? integer_greater : integer_greater_equal;
    return wide ? vpcmpq(out, x, y, predicate) : vpcmpd(out, x, y, predicate);
  }
  if (op == Op::isfinite) {
    const Xmm spare = vector(spare_vector, dtype);
    compute_unary(Op::absolute, dtype, spare, x);
    return wide ? vcmppd(out, spare, constant(infinity(dtype), dtype), less) : vcmpps(out, spare, constant(infinity(dtype), dtype), less);
  }
  const std::uint8_t predicate = op == Op::equal ? equal : op == Op::not_equal ? not_equal : op == Op::less ? less
                                 : op == Op::less_equal ? less_equal : op == Op::greater ? greater
                                 : op == Op::greater_equal ? greater_equal : unordered;
  wide ? vcmppd(out, x, y, predicate) : vcmpps(out, x, y, predicate);
}

void Emitter::convert(Dtype from, Dtype to, const Xmm& out, const Source& in) {
  if (from == Dtype::bool_) {
    const Opmask truth = mask(in);
    if (is_wide(to)) vpbroadcastq(out | truth | T_z, qword[rip + constants_[{one(to), 8}]]);
    else vpbroadcastd(out | truth | T_z, dword[rip + constants_[{one(to), 4}]]);
    return;
  }
  const Xmm x = vector(in, from);
  if (from == to) return vmovapd(out, x);
  switch (to) {
    case Dtype::float64: return from == Dtype::float32 ? vcvtps2pd(out, x) : from == Dtype::int64 ? vcvtqq2pd(out, x) : vcvtdq2pd(out, x);
    case Dtype::float32: return from == Dtype::float64 ? vcvtpd2ps(out, x) : from == Dtype::int64 ? vcvtqq2ps(out, x) : vcvtdq2ps(out, x);
    case Dtype::int64: return vpmovsxdq(out, x);
    default: return vpmovqd(out, x);
  }
}

}  // namespace gamelan::engine::jit
