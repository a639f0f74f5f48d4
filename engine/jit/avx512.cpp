// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/avx512.hpp"

namespace gamelan::engine::jit {
namespace {

/// Of vpcmpq.
std::uint8_t integer_predicate(Op op) {
  switch (op) {
    case Op::equal:
      return 0;
    case Op::less:
      return 1;
    case Op::less_equal:
      return 2;
    case Op::not_equal:
      return 4;
    case Op::greater_equal:
      return 5;
    default:
      return 6;  // greater
  }
}
constexpr std::uint8_t not_third = 0x55;  // truth table of vpternlog

}  // namespace

// ---- memory

void Avx512::begin_tail() {
  mov(ecx, eax);
  mov(eax, 1);
  shl(eax, cl);
  sub(eax, 1);
  kmovw(Xbyak::Opmask(tail_mask), eax);
  is_tail_ = true;
}

void Avx512::load(Dtype dtype, const Xmm& out, const Address& from) {
  is_wide(dtype) ? vmovupd(wanted(out), ptr[from]) : vmovups(wanted(out), ptr[from]);
}

void Avx512::fill(Dtype dtype, const Xmm& out, std::uint64_t bits) {
  const auto from = rip + constant(bits, dtype);
  is_wide(dtype) ? vpbroadcastq(out, qword[from]) : vpbroadcastd(out, dword[from]);
}

void Avx512::repeat(Dtype dtype, const Xmm& out, const Address& from) {
  is_wide(dtype) ? vpbroadcastq(out, qword[from]) : vpbroadcastd(out, dword[from]);
}

void Avx512::store(Dtype dtype, const Address& to, const Xmm& value, bool streams) {
  const Xbyak::Opmask tail(tail_mask);
  if (is_tail_) return is_wide(dtype) ? vmovupd(ptr[to] | tail, value) : vmovups(ptr[to] | tail, value);
  streams ? vmovntpd(ptr[to], value) : vmovupd(ptr[to], value);
}

void Avx512::load(Mask out, const Address& from) {
  const Xmm bytes(spare);
  if (lanes_ == 8 && !is_tail_)
    vmovq(bytes, qword[from]);
  else
    vmovdqu8(wanted(bytes), xword[from]);
  vptestmb(of(out), bytes, bytes);
}

void Avx512::repeat(Mask out, const Address& from) {
  const Xmm bytes(spare);
  vpbroadcastb(bytes, byte[from]);
  vptestmb(of(out), bytes, bytes);
}

void Avx512::store(const Address& to, Mask value) {
  const Xmm bytes(spare);
  vmovdqu8(bytes | of(value) | T_z, xword[rip + constant(1, Dtype::bool_)]);
  if (is_tail_)
    vmovdqu8(xword[to] | Xbyak::Opmask(tail_mask), bytes);
  else if (lanes_ == 8)
    vmovq(qword[to], bytes);
  else
    vmovdqu8(xword[to], bytes);
}

// ---- numbers

void Avx512::unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) {
  const bool wide = is_wide(dtype);
  if (op == Op::copy || op == Op::positive) return move(out, x);
  if (op == Op::square) return binary(Op::multiply, dtype, out, x, x);
  const Xmm other = vector(spare, dtype);
  if (!is_float(dtype)) {
    if (op == Op::absolute) return wide ? vpabsq(out, x) : vpabsd(out, x);
    if (op == Op::invert) return wide ? vpternlogq(out, x, x, not_third) : vpternlogd(out, x, x, not_third);
    if (op != Op::negative) refuse(op);
    clear(other);
    return binary(Op::subtract, dtype, out, other, x);
  }
  switch (op) {
    case Op::absolute:
    case Op::fabs:
      return wide ? vandpd(out, x, all(~sign_bit(dtype), dtype)) : vandps(out, x, all(0x7fffffffU, dtype));
    case Op::negative:
      return wide ? vxorpd(out, x, all(sign_bit(dtype), dtype)) : vxorps(out, x, all(sign_bit(dtype), dtype));
    case Op::reciprocal:
      fill(dtype, other, one(dtype));
      return binary(Op::divide, dtype, out, other, x);
    case Op::sqrt:
      return wide ? vsqrtpd(wanted(out), x) : vsqrtps(wanted(out), x);
    default:
      return wide ? vrndscalepd(out, x, rounding(op)) : vrndscaleps(out, x, rounding(op));
  }
}

void Avx512::binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (is_float(dtype)) {
    switch (op) {
      case Op::add:
        return wide ? vaddpd(wanted(out), x, y) : vaddps(wanted(out), x, y);
      case Op::subtract:
        return wide ? vsubpd(wanted(out), x, y) : vsubps(wanted(out), x, y);
      case Op::multiply:
        return wide ? vmulpd(wanted(out), x, y) : vmulps(wanted(out), x, y);
      case Op::divide:
        return wide ? vdivpd(wanted(out), x, y) : vdivps(wanted(out), x, y);
      case Op::maximum:
      case Op::minimum:
        return choose_larger(op, dtype, out, x, static_cast<const Xmm&>(y));
      default:
        refuse(op);
    }
  }
  switch (op) {
    case Op::add:
      return wide ? vpaddq(out, x, y) : vpaddd(out, x, y);
    case Op::subtract:
      return wide ? vpsubq(out, x, y) : vpsubd(out, x, y);
    case Op::multiply:
      return wide ? vpmullq(out, x, y) : vpmulld(out, x, y);
    case Op::bitwise_and:
      return vpandq(out, x, y);
    case Op::bitwise_or:
      return vporq(out, x, y);
    case Op::bitwise_xor:
      return vpxorq(out, x, y);
    case Op::maximum:
      return wide ? vpmaxsq(out, x, y) : vpmaxsd(out, x, y);
    case Op::minimum:
      return wide ? vpminsq(out, x, y) : vpminsd(out, x, y);
    default:
      refuse(op);
  }
}

/// NumPy's rule: x if x >= y or x is NaN, else y (maximum); smaller likewise.
void Avx512::choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y) {
  const Mask first{spare_mask}, is_nan{other_spare_mask};
  compare(op == Op::maximum ? Op::greater_equal : Op::less_equal, dtype, first, x, y);
  compare(Op::isnan, dtype, is_nan, x, x);
  korw(of(first), of(first), of(is_nan));
  blend(dtype, out, first, x, y);
}

void Avx512::blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) {
  is_wide(dtype) ? vblendmpd(out | of(condition), otherwise, then)
                 : vblendmps(out | of(condition), otherwise, then);
}

void Avx512::convert(Mask truth, Dtype to, const Xmm& out) { fill(to, out | of(truth) | T_z, one(to)); }

void Avx512::convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) {
  if (from == to) return move(out, x);
  switch (to) {
    case Dtype::float64:
      return from == Dtype::float32 ? vcvtps2pd(out, x)
             : from == Dtype::int64 ? vcvtqq2pd(out, x)
                                    : vcvtdq2pd(out, x);
    case Dtype::float32:
      return from == Dtype::float64 ? vcvtpd2ps(out, x)
             : from == Dtype::int64 ? vcvtqq2ps(out, x)
                                    : vcvtdq2ps(out, x);
    case Dtype::int64:
      return vpmovsxdq(out, x);
    default:
      return vpmovqd(out, x);
  }
}

// ---- bools

void Avx512::compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (!is_float(dtype))
    return wide ? vpcmpq(of(out), x, y, integer_predicate(op)) : vpcmpd(of(out), x, y, integer_predicate(op));
  if (op == Op::isfinite) {
    const Xmm other = vector(spare, dtype);
    unary(Op::absolute, dtype, other, x);
    return wide ? vcmppd(of(out), other, all(infinity(dtype), dtype), less)
                : vcmpps(of(out), other, all(infinity(dtype), dtype), less);
  }
  wide ? vcmppd(of(out), x, y, predicate(op)) : vcmpps(of(out), x, y, predicate(op));
}

void Avx512::logic(Op op, Mask out, Mask x, Mask y) {
  switch (op) {
    case Op::add:
    case Op::maximum:
    case Op::logical_or:
    case Op::bitwise_or:
      return korw(of(out), of(x), of(y));
    case Op::multiply:
    case Op::minimum:
    case Op::logical_and:
    case Op::bitwise_and:
      return kandw(of(out), of(x), of(y));
    case Op::not_equal:
    case Op::logical_xor:
    case Op::bitwise_xor:
      return kxorw(of(out), of(x), of(y));
    case Op::equal:
      return kxnorw(of(out), of(x), of(y));
    case Op::logical_not:
    case Op::invert:
      return knotw(of(out), of(x));
    case Op::copy:
    case Op::absolute:
      return move(out, x);
    default:
      refuse(op);
  }
}

void Avx512::choose(Mask out, Mask condition, Mask then, Mask otherwise) {
  const Mask taken{spare_mask}, other{other_spare_mask};
  kandw(of(taken), of(condition), of(then));
  kandnw(of(other), of(condition), of(otherwise));
  korw(of(out), of(taken), of(other));
}

void Avx512::jump_if_none(Mask x, Mask y, const Xbyak::Label& to) {
  lanes_ == 8 ? kortestb(of(x), of(y)) : kortestw(of(x), of(y));
  jz(to, T_NEAR);
}

}  // namespace gamelan::engine::jit
