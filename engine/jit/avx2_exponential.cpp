// SPDX-License-Identifier: BSD-3-Clause
// AVX2: exp of float64, by the operations of engine/tiles/loops/math/exponential.hpp in their order.
#include <bit>
#include <limits>

#include "engine/jit/avx2.hpp"
#include "engine/jit/exponential.hpp"

namespace gamelan::engine::jit {
namespace {

namespace e = exponential;

constexpr std::uint8_t equal = 0x00, at_most = 0x12, greater = 0x1e;  // ordered, quiet
constexpr int all_lanes = 0xf;
constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

/// Vectors with a result that is no normal number are computed behind all code, where exp_of_any() writes.
void Avx2::exp(const Xmm& out, const Xmm& x) {
  Unusual& unusual = unusual_.emplace_back(Unusual{out, x, {}, {}});
  const Xmm second = passing(Dtype::float64), rounded = vector(spare, Dtype::float64);
  vandpd(second, x, all(~sign_bit(Dtype::float64), Dtype::float64));
  vcmppd(second, second, all(e::near), at_most);
  vmovmskpd(ecx, second);
  cmp(ecx, all_lanes);
  jne(unusual.begin, T_NEAR);
  exp_mantissas(out, x);
  vpsllq(rounded, rounded, e::fraction_bits);
  vpaddq(out, second, rounded);
  L(unusual.end);
}

/// Leaves e^x without its power of 2 in the second spare register, and in the low bits of the first that
/// power. Changes `out`.
void Avx2::exp_mantissas(const Xmm& out, const Xmm& x) {
  const Xmm second = passing(Dtype::float64), rounded = vector(spare, Dtype::float64);
  vmovapd(rounded, all(e::rounder));
  vfmadd231pd(rounded, x, all(e::by_ln_2));
  vsubpd(second, rounded, all(e::rounder));
  if (out.getIdx() != x.getIdx()) vmovapd(out, x);
  vfnmadd231pd(out, second, all(e::ln_2_high));
  vfnmadd231pd(out, second, all(e::ln_2_low));
  vmovapd(second, all(e::coefficients[0]));
  for (std::size_t k = 1; k < e::coefficients.size(); ++k) vfmadd213pd(second, out, all(e::coefficients[k]));
  vmulpd(second, second, out);
  vfmadd213pd(second, out, out);
  vaddpd(second, second, all(1.0));
}

void Avx2::exp_of_any(const Xmm& out, const Xmm& x) {
  const Xmm value = passing(Dtype::float64), rounded = vector(spare, Dtype::float64);
  vmovapd(ptr[passage()], x);
  vmovapd(value, all(e::above_all));
  vcmppd(rounded, x, value, greater);
  vblendvpd(out, x, value, rounded);
  vmovapd(value, all(e::below_all));
  vcmppd(rounded, out, value, less);
  vblendvpd(out, out, value, rounded);
  exp_mantissas(out, out);
  vmovapd(out, ptr[passage()]);
  vcmppd(out, out, all(-infinite), equal);
  vandnpd(value, out, value);
  vmovapd(out, ptr[passage()]);
  vcmppd(out, out, all(infinite), equal);
  vblendvpd(value, value, all(infinite), out);
  const auto as_power = [&](const Xmm& whole) {
    vpsllq(whole, whole, e::fraction_bits);
    vpaddq(whole, whole, all(e::exponent_of_1, Dtype::int64));
  };
  vpsrad(out, rounded, 1);
  vpsubd(rounded, rounded, out);
  as_power(out);
  as_power(rounded);
  vmulpd(value, value, out);
  vmulpd(out, value, rounded);
}

void Avx2::emit_unusual() {
  for (Unusual& each : unusual_) {
    L(each.begin);
    exp_of_any(each.out, each.x);
    jmp(each.end, T_NEAR);
  }
}

Xbyak::Address Avx2::all(double number) { return all(std::bit_cast<std::uint64_t>(number), Dtype::float64); }

}  // namespace gamelan::engine::jit
