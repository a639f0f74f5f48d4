// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/arithmetic.hpp"

#include <bit>
#include <string>

#include "protocol/error.hpp"

namespace gamelan::engine::jit {
namespace {

[[noreturn]] void refuse(Op op) {
  throw protocol::Error(protocol::ErrorKind::internal,
                        "[jit] no instructions for " + std::string(protocol::info(op).name));
}

/// Predicates of vcmppd: quiet, and false of NaN except for `not equal`.
constexpr std::uint8_t less = 0x11;
std::uint8_t predicate(Op op) {
  switch (op) {
    case Op::equal:
      return 0x00;
    case Op::isnan:
      return 0x03;  // x with itself is unordered
    case Op::not_equal:
      return 0x04;
    case Op::less:
      return less;
    case Op::less_equal:
      return 0x12;
    case Op::greater_equal:
      return 0x1d;
    case Op::greater:
      return 0x1e;
    default:
      refuse(op);
  }
}
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
    case Op::greater:
      return 6;
    default:
      refuse(op);
  }
}
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

Arithmetic::Arithmetic(int lanes, std::span<std::byte> room)
    : CodeGenerator(room.size(), room.data()), lanes_(lanes) {}

Xbyak::Xmm Arithmetic::vector(int number, Dtype dtype) const {
  const auto bytes = static_cast<std::size_t>(lanes_) * protocol::size_of(dtype);
  return {bytes == 64   ? Xbyak::Operand::ZMM
          : bytes == 32 ? Xbyak::Operand::YMM
                        : Xbyak::Operand::XMM,
          number};
}

Xbyak::Address Arithmetic::constant(std::uint64_t bits, Dtype dtype) {
  const auto& label = constants_[{bits, static_cast<int>(protocol::size_of(dtype))}];
  return protocol::size_of(dtype) == 1 ? xword[rip + label] : ptr_b[rip + label];
}

void Arithmetic::emit_constants() {
  for (auto& [key, label] : constants_) {
    align(16);
    L(label);
    for (int k = 0; k < 16 / key.second; ++k) db(key.first, static_cast<std::size_t>(key.second));
  }
}

void Arithmetic::logic(Op op, const Opmask& out, const Opmask& x, const Opmask& y) {
  switch (op) {
    case Op::add:
    case Op::maximum:
    case Op::logical_or:
    case Op::bitwise_or:
      return korw(out, x, y);
    case Op::multiply:
    case Op::minimum:
    case Op::logical_and:
    case Op::bitwise_and:
      return kandw(out, x, y);
    case Op::not_equal:
    case Op::logical_xor:
    case Op::bitwise_xor:
      return kxorw(out, x, y);
    case Op::equal:
      return kxnorw(out, x, y);
    case Op::logical_not:
    case Op::invert:
      return knotw(out, x);
    case Op::copy:
    case Op::absolute:
      return kmovw(out, x);
    default:
      refuse(op);
  }
}

void Arithmetic::choose(const Opmask& out, const Opmask& condition, const Opmask& then,
                        const Opmask& otherwise) {
  const Opmask spare(spare_mask), other(other_spare_mask);
  kandw(spare, condition, then);
  kandnw(other, condition, otherwise);
  korw(out, spare, other);
}

void Arithmetic::unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) {
  const bool wide = is_wide(dtype);
  if (op == Op::copy || op == Op::positive) return vmovapd(out, x);
  if (op == Op::square) return binary(Op::multiply, dtype, out, x, x);
  const Xmm spare = vector(spare_vector, dtype);
  if (!is_float(dtype)) {
    if (op == Op::absolute) return wide ? vpabsq(out, x) : vpabsd(out, x);
    if (op == Op::invert) return wide ? vpternlogq(out, x, x, not_third) : vpternlogd(out, x, x, not_third);
    if (op != Op::negative) refuse(op);
    vpxord(spare, spare, spare);
    return binary(Op::subtract, dtype, out, spare, x);
  }
  const auto round = [&](std::uint8_t how) { wide ? vrndscalepd(out, x, how) : vrndscaleps(out, x, how); };
  switch (op) {
    case Op::absolute:
    case Op::fabs:
      return wide ? vandpd(out, x, constant(~sign_bits(dtype), dtype))
                  : vandps(out, x, constant(0x7fffffffU, dtype));
    case Op::negative:
      return wide ? vxorpd(out, x, constant(sign_bits(dtype), dtype))
                  : vxorps(out, x, constant(sign_bits(dtype), dtype));
    case Op::reciprocal:
      wide ? vpbroadcastq(spare, qword[rip + constants_[{one(dtype), 8}]])
           : vpbroadcastd(spare, dword[rip + constants_[{one(dtype), 4}]]);
      return binary(Op::divide, dtype, out, spare, x);
    case Op::sqrt:
      return wide ? vsqrtpd(of_wanted_lanes(out), x) : vsqrtps(of_wanted_lanes(out), x);
    case Op::floor:
      return round(down);
    case Op::ceil:
      return round(up);
    case Op::trunc:
      return round(towards_zero);
    case Op::rint:
      return round(to_nearest);
    default:
      refuse(op);
  }
}

void Arithmetic::binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (is_float(dtype)) {
    const Xmm wanted = of_wanted_lanes(out);
    switch (op) {
      case Op::add:
        return wide ? vaddpd(wanted, x, y) : vaddps(wanted, x, y);
      case Op::subtract:
        return wide ? vsubpd(wanted, x, y) : vsubps(wanted, x, y);
      case Op::multiply:
        return wide ? vmulpd(wanted, x, y) : vmulps(wanted, x, y);
      case Op::divide:
        return wide ? vdivpd(wanted, x, y) : vdivps(wanted, x, y);
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
void Arithmetic::choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y) {
  const Opmask spare(spare_mask), other(other_spare_mask);
  compare(op == Op::maximum ? Op::greater_equal : Op::less_equal, dtype, spare, x, y);
  compare(Op::isnan, dtype, other, x, x);
  korw(spare, spare, other);
  blend(dtype, out, spare, x, y);
}

void Arithmetic::blend(Dtype dtype, const Xmm& out, const Opmask& condition, const Xmm& then,
                       const Xmm& otherwise) {
  is_wide(dtype) ? vblendmpd(out | condition, otherwise, then) : vblendmps(out | condition, otherwise, then);
}

void Arithmetic::compare(Op op, Dtype dtype, const Opmask& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool wide = is_wide(dtype);
  if (!is_float(dtype)) {
    return wide ? vpcmpq(out, x, y, integer_predicate(op)) : vpcmpd(out, x, y, integer_predicate(op));
  }
  if (op == Op::isfinite) {
    const Xmm spare = vector(spare_vector, dtype);
    unary(Op::absolute, dtype, spare, x);
    return wide ? vcmppd(out, spare, constant(infinity(dtype), dtype), less)
                : vcmpps(out, spare, constant(infinity(dtype), dtype), less);
  }
  wide ? vcmppd(out, x, y, predicate(op)) : vcmpps(out, x, y, predicate(op));
}

void Arithmetic::convert(const Opmask& truth, Dtype to, const Xmm& out) {
  if (is_wide(to))
    vpbroadcastq(out | truth | T_z, qword[rip + constants_[{one(to), 8}]]);
  else
    vpbroadcastd(out | truth | T_z, dword[rip + constants_[{one(to), 4}]]);
}

void Arithmetic::convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) {
  if (from == to) return vmovapd(out, x);
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

}  // namespace gamelan::engine::jit
