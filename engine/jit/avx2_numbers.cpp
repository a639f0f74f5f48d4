// SPDX-License-Identifier: BSD-3-Clause
// AVX2: operations on numbers.
#include "engine/jit/avx2.hpp"

namespace gamelan::engine::jit {

void Avx2::unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) {
  const bool wide = is_wide(dtype);
  if (op == Op::copy || op == Op::positive) return move(out, x);
  if (op == Op::square) return binary(Op::multiply, dtype, out, x, x);
  const Xmm other = vector(spare, dtype);
  if (!is_float(dtype)) {
    if (op == Op::invert) return invert(out, x);
    if (op == Op::absolute) {
      if (!wide) return vpabsd(out, x);
      clear(other);
      vpsubq(other, other, x);
      return select(dtype, out, x, other, x);
    }
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
      vmovapd(other, all(one(dtype), dtype));
      return binary(Op::divide, dtype, out, other, x);
    case Op::exp:
      return exp(out, x);
    case Op::sqrt:
      return wide ? vsqrtpd(out, x) : vsqrtps(out, x);
    default:
      return wide ? vroundpd(out, x, rounding(op)) : vroundps(out, x, rounding(op));
  }
}

void Avx2::binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (is_float(dtype)) {
    switch (op) {
      case Op::add:
        return wide ? vaddpd(out, x, y) : vaddps(out, x, y);
      case Op::subtract:
        return wide ? vsubpd(out, x, y) : vsubps(out, x, y);
      case Op::multiply:
        return wide ? vmulpd(out, x, y) : vmulps(out, x, y);
      case Op::divide:
        return wide ? vdivpd(out, x, y) : vdivps(out, x, y);
      case Op::maximum:
      case Op::minimum:
        return choose_larger(op, dtype, out, x, static_cast<const Xmm&>(y));
      default:
        refuse(op);
    }
  }
  const Xmm other = vector(spare, dtype);
  switch (op) {
    case Op::add:
      return wide ? vpaddq(out, x, y) : vpaddd(out, x, y);
    case Op::subtract:
      return wide ? vpsubq(out, x, y) : vpsubd(out, x, y);
    case Op::multiply:
      return wide ? multiply_wide(out, x, y) : vpmulld(out, x, y);
    case Op::bitwise_and:
      return vpand(out, x, y);
    case Op::bitwise_or:
      return vpor(out, x, y);
    case Op::bitwise_xor:
      return vpxor(out, x, y);
    case Op::maximum:
      if (!wide) return vpmaxsd(out, x, y);
      vpcmpgtq(other, x, y);
      return select(dtype, out, other, x, static_cast<const Xmm&>(y));
    case Op::minimum:
      if (!wide) return vpminsd(out, x, y);
      vpcmpgtq(other, x, y);
      return select(dtype, out, other, static_cast<const Xmm&>(y), x);
    default:
      refuse(op);
  }
}

/// x * y modulo 2^64: the low halves' product, and both products of a low and a high half shifted up.
void Avx2::multiply_wide(const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const Xmm crossed = vector(spare, Dtype::int64), low = passing(Dtype::int64);
  vpshufd(crossed, y, 0xb1);
  vpmulld(crossed, crossed, x);
  vpmuludq(low, x, y);  // neither x nor y is needed any more
  vpshufd(out, crossed, 0xb1);
  vpaddd(out, out, crossed);
  vpsllq(out, out, 32);
  vpaddq(out, out, low);
}

/// NumPy's rule: x if x >= y or x is NaN, else y (maximum); smaller likewise. vmaxpd would raise `invalid`
/// for a quiet NaN.
void Avx2::choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y) {
  const Xmm first = vector(spare, dtype), is_nan = passing(dtype);
  const std::uint8_t wins = predicate(op == Op::maximum ? Op::greater_equal : Op::less_equal);
  if (is_wide(dtype)) {
    vcmppd(first, x, y, wins);
    vcmppd(is_nan, x, x, unordered);
  } else {
    vcmpps(first, x, y, wins);
    vcmpps(is_nan, x, x, unordered);
  }
  vorpd(first, first, is_nan);
  select(dtype, out, first, x, y);
}

void Avx2::select(Dtype dtype, const Xmm& out, const Xmm& condition, const Xmm& then, const Xmm& otherwise) {
  is_wide(dtype) ? vblendvpd(out, otherwise, then, condition) : vblendvps(out, otherwise, then, condition);
}

void Avx2::blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) {
  select(dtype, out, narrowed(condition, dtype), then, otherwise);
}

void Avx2::convert(Mask truth, Dtype to, const Xmm& out) {
  vandpd(out, narrowed(truth, to), all(one(to), to));
}

void Avx2::convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) {
  if (from == to) return move(out, x);
  switch (to) {
    case Dtype::float64:
      return from == Dtype::float32 ? vcvtps2pd(out, x)
             : from == Dtype::int64 ? to_float64(out, x)
                                    : vcvtdq2pd(out, x);
    case Dtype::float32:
      return from == Dtype::float64 ? vcvtpd2ps(out, x)
             : from == Dtype::int64 ? to_float32(out, x)
                                    : vcvtdq2ps(out, x);
    case Dtype::int64:
      return vpmovsxdq(out, x);
    default: {  // the low halves of int64
      const Xmm high(spare);
      vextracti128(high, Xbyak::Ymm(x.getIdx()), 1);
      vshufps(out, low_half(x), high, 0x88);
    }
  }
}

/// Both halves are put into the fractions of doubles whose exponents give them their weight; the sum of these
/// is rounded once.
void Avx2::to_float64(const Xmm& out, const Xmm& x) {
  constexpr std::uint64_t two_52 = 0x4330000000000000, two_84_and_63 = 0x4530000080000000,
                          two_84_and_63_and_52 = 0x4530000080100000;
  const Xmm low = vector(spare, Dtype::int64);
  vpblendd(low, x, all(two_52, Dtype::int64), 0xaa);  // 2^52 + the low half
  vpsrlq(out, x, 32);
  vpxor(out, out, all(two_84_and_63, Dtype::int64));  // 2^84 + 2^63 + the high half * 2^32
  vsubpd(out, out, all(two_84_and_63_and_52, Dtype::int64));
  vaddpd(out, out, low);
}

/// One by one: by way of float64 it would be rounded twice.
void Avx2::to_float32(const Xmm& out, const Xmm& x) {
  const Xmm all_four(spare), zero(second_spare);
  vmovapd(ptr[passage()], x);
  clear(zero);
  vcvtsi2ss(all_four, zero, qword[passage()]);
  for (int k = 1; k < 4; ++k) {
    vcvtsi2ss(out, zero, qword[passage() + 8 * k]);
    vinsertps(all_four, all_four, out, static_cast<std::uint8_t>(k << 4));
  }
  vmovaps(out, all_four);
}

}  // namespace gamelan::engine::jit
