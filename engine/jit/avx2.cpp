// SPDX-License-Identifier: BSD-3-Clause
// AVX2: bools, and elements from and to memory. avx2_numbers.cpp has the operations on numbers.
#include "engine/jit/avx2.hpp"

namespace gamelan::engine::jit {

// ---- tails

void Avx2::begin_tail() {
  const Xbyak::Ymm mask(spare);
  mov(dword[tail_count()], eax);
  neg(rax);
  lea(rcx, ptr[rip + window_]);
  if (has_wide_masks()) {
    vmovdqu(mask, ptr[rcx + rax * 8 + 32]);
    vmovdqa(ptr[tail_mask(Dtype::int64)], mask);
  }
  vmovdqu(mask, ptr[rcx + rax * 4 + 32]);
  vmovdqa(ptr[tail_mask(Dtype::int32)], mask);
  is_tail_ = true;
}

void Avx2::emit_tables() {
  align(64);
  L(window_);
  for (int k = 0; k < 8; ++k) db(k < 4 ? ~std::uint64_t{0} : 0, 8);
}

// ---- numbers from and to memory

void Avx2::load(Dtype dtype, const Xmm& out, const Address& from) {
  if (!is_tail_) return vmovupd(out, ptr[from]);
  const Xmm wanted = vector(spare, dtype);
  vmovapd(wanted, ptr[tail_mask(dtype)]);
  repeat(dtype, out, from);
  vandnpd(out, wanted, out);
  is_wide(dtype) ? vmaskmovpd(wanted, wanted, ptr[from]) : vmaskmovps(wanted, wanted, ptr[from]);
  vorpd(out, out, wanted);
}

void Avx2::repeat(Dtype dtype, const Xmm& out, const Address& from) {
  is_wide(dtype) ? vpbroadcastq(out, qword[from]) : vpbroadcastd(out, dword[from]);
}

void Avx2::store(Dtype dtype, const Address& to, const Xmm& value, bool streams) {
  if (!is_tail_) return streams ? vmovntpd(ptr[to], value) : vmovupd(ptr[to], value);
  const Xmm wanted = vector(spare, dtype);
  vmovapd(wanted, ptr[tail_mask(dtype)]);
  is_wide(dtype) ? vmaskmovpd(ptr[to], wanted, value) : vmaskmovps(ptr[to], wanted, value);
}

// ---- bools from and to memory

void Avx2::load(Mask out, const Address& from) {
  const Xmm bytes = low_half(of(out));
  const Xbyak::Ymm lanes = of(out), zero(spare);
  if (is_tail_) {
    Xbyak::Label end;
    vpbroadcastb(bytes, byte[from]);
    for (int k = 1; k < lanes_; ++k) {
      cmp(dword[tail_count()], k);
      jbe(end, T_NEAR);
      vpinsrb(bytes, bytes, byte[from + k], static_cast<std::uint8_t>(k));
    }
    L(end);
    has_wide_masks() ? vpmovzxbq(lanes, bytes) : vpmovzxbd(lanes, bytes);
  } else {
    has_wide_masks() ? vpmovzxbq(lanes, dword[from]) : vpmovzxbd(lanes, qword[from]);
  }
  clear(zero);
  has_wide_masks() ? vpcmpgtq(lanes, lanes, zero) : vpcmpgtd(lanes, lanes, zero);
}

void Avx2::repeat(Mask out, const Address& from) {
  const Xbyak::Ymm zero(spare);
  vpbroadcastb(of(out), byte[from]);
  clear(zero);
  vpcmpeqb(of(out), of(out), zero);
  invert(of(out), of(out));
}

void Avx2::store(const Address& to, Mask value) {
  const Xmm bytes(spare);
  vextracti128(bytes, of(value), 1);
  vpackssdw(bytes, low_half(of(value)), bytes);
  if (has_wide_masks())
    vpshufb(bytes, bytes, all(0x0c080400U, Dtype::int32));  // the first byte of each lane
  else
    vpacksswb(bytes, bytes, bytes);
  vpabsb(bytes, bytes);
  if (!is_tail_) return has_wide_masks() ? vmovd(dword[to], bytes) : vmovq(qword[to], bytes);
  Xbyak::Label end;
  for (int k = 0; k < lanes_; ++k) {
    cmp(dword[tail_count()], k);
    jbe(end, T_NEAR);
    vpextrb(byte[to + k], bytes, static_cast<std::uint8_t>(k));
  }
  L(end);
}

// ---- bools

Xbyak::Xmm Avx2::narrowed(Mask mask, Dtype dtype) {
  if (is_wide(dtype) || !has_wide_masks()) return of(mask);
  const Xmm half(spare);
  vextracti128(half, of(mask), 1);
  vshufps(half, low_half(of(mask)), half, 0x88);  // the low halves of four lanes
  return half;
}

void Avx2::widen(Mask mask, Dtype dtype) {
  if (!is_wide(dtype) && has_wide_masks()) vpmovsxdq(of(mask), low_half(of(mask)));
}

void Avx2::compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  const Xmm lanes = vector(out.number, dtype), other = vector(spare, dtype);
  if (is_float(dtype)) {
    if (op == Op::isfinite) {
      unary(Op::absolute, dtype, other, x);
      wide ? vcmppd(lanes, other, all(infinity(dtype), dtype), less)
           : vcmpps(lanes, other, all(infinity(dtype), dtype), less);
    } else {
      wide ? vcmppd(lanes, x, y, predicate(op)) : vcmpps(lanes, x, y, predicate(op));
    }
    return widen(out, dtype);
  }
  const Xmm& second = static_cast<const Xmm&>(y);  // integers are in registers
  const auto greater = [&](const Xmm& left, const Xmm& right) {
    wide ? vpcmpgtq(lanes, left, right) : vpcmpgtd(lanes, left, right);
  };
  switch (op) {
    case Op::equal:
    case Op::not_equal:
      wide ? vpcmpeqq(lanes, x, y) : vpcmpeqd(lanes, x, y);
      break;
    case Op::greater:
    case Op::less_equal:
      greater(x, second);
      break;
    case Op::less:
    case Op::greater_equal:
      greater(second, x);
      break;
    default:
      refuse(op);
  }
  if (op == Op::not_equal || op == Op::less_equal || op == Op::greater_equal) invert(lanes, lanes);
  widen(out, dtype);
}

void Avx2::compare_with_zero(Op op, Dtype dtype, Mask out, const Xmm& x) {
  const Xmm zero = vector(spare, dtype);
  clear(zero);
  compare(op, dtype, out, x, zero);
}

void Avx2::logic(Op op, Mask out, Mask x, Mask y) {
  switch (op) {
    case Op::add:
    case Op::maximum:
    case Op::logical_or:
    case Op::bitwise_or:
      return vpor(of(out), of(x), of(y));
    case Op::multiply:
    case Op::minimum:
    case Op::logical_and:
    case Op::bitwise_and:
      return vpand(of(out), of(x), of(y));
    case Op::not_equal:
    case Op::logical_xor:
    case Op::bitwise_xor:
      return vpxor(of(out), of(x), of(y));
    case Op::equal:
      vpxor(of(out), of(x), of(y));
      return invert(of(out), of(out));
    case Op::logical_not:
    case Op::invert:
      return invert(of(out), of(x));
    case Op::copy:
    case Op::absolute:
      return move(out, x);
    default:
      refuse(op);
  }
}

void Avx2::choose(Mask out, Mask condition, Mask then, Mask otherwise) {
  vpblendvb(of(out), of(otherwise), of(then), of(condition));
}

void Avx2::jump_if_none(Mask x, Mask y, const Xbyak::Label& to) {
  Xbyak::Ymm any = of(x);
  if (x.number != y.number) vorpd(any = Xbyak::Ymm(spare), of(x), of(y));
  vmovmskps(ecx, any);
  test(ecx, ecx);
  jz(to, T_NEAR);
}

}  // namespace gamelan::engine::jit
