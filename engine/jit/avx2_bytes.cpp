// SPDX-License-Identifier: BSD-3-Clause
#include "engine/jit/avx2_bytes.hpp"

namespace gamelan::engine::jit {
namespace {

constexpr int vector_bytes = Avx2::registers.vector_bytes, page_bytes = 4096;

}  // namespace

// ---- from and to memory

void Avx2Bytes::begin_tail() {
  mov(dword[tail_count()], eax);
  is_tail_ = true;
}

/// Loads whole vectors in tails, too: what lies behind the wanted bytes in their page may be read.
void Avx2Bytes::load_tail(const Xmm& out, const Address& from) {
  AtPageEnd& rare = at_page_end_.emplace_back();
  rare.out = out;
  lea(rax, ptr[from]);
  mov(ecx, eax);
  and_(ecx, page_bytes - 1);
  cmp(ecx, page_bytes - vector_bytes);
  ja(rare.begin, T_NEAR);
  L(rare.whole);
  vmovdqu(out, ptr[rax]);
  L(rare.end);
}

/// Unless wanted bytes lie in the next page, too, the last vector of this page is loaded, and shifted by way
/// of memory.
void Avx2Bytes::emit_unusual() {
  for (AtPageEnd& rare : at_page_end_) {
    L(rare.begin);
    mov(ecx, dword[tail_count()]);
    lea(rcx, ptr[rax + rcx - 1]);
    xor_(rcx, rax);
    shr(rcx, 12);
    jnz(rare.whole, T_NEAR);
    mov(rcx, rax);
    or_(rcx, page_bytes - 1);
    vmovdqu(rare.out, ptr[rcx - (vector_bytes - 1)]);
    vmovdqa(ptr[passage()], rare.out);
    sub(rax, rcx);  // 1 - the bytes from here to the end of the page
    vmovdqu(rare.out, ptr[passage() + rax + (vector_bytes - 1)]);
    jmp(rare.end, T_NEAR);
  }
}

/// Fewer bytes than a vector has: a half, a quarter and so on, as the bits of their number say.
void Avx2Bytes::store_tail(const Address& to, const Xmm& value) {
  const Xmm left(spare);
  lea(rax, ptr[to]);
  mov(ecx, dword[tail_count()]);
  if (value.getIdx() != spare) vmovdqa(Xbyak::Ymm(spare), Xbyak::Ymm(value.getIdx()));
  for (int bytes = vector_bytes / 2; bytes > 0; bytes /= 2) {
    Xbyak::Label next;
    test(ecx, bytes);
    jz(next, T_NEAR);
    switch (bytes) {
      case 16:
        vmovdqu(ptr[rax], left);
        vextracti128(left, Xbyak::Ymm(spare), 1);
        break;
      case 8:
        vmovq(ptr[rax], left);
        break;
      case 4:
        vmovd(ptr[rax], left);
        break;
      case 2:
        vpextrw(ptr[rax], left, 0);
        break;
      default:
        vpextrb(ptr[rax], left, 0);
    }
    if (bytes < 16) vpsrldq(left, left, static_cast<std::uint8_t>(bytes));
    add(rax, bytes);
    L(next);
  }
}

void Avx2Bytes::load(Dtype, const Xmm& out, const Address& from) {
  is_tail_ ? load_tail(out, from) : vmovdqu(out, ptr[from]);
}

void Avx2Bytes::repeat(Dtype, const Xmm& out, const Address& from) { vpbroadcastb(out, byte[from]); }

void Avx2Bytes::store(Dtype, const Address& to, const Xmm& value, bool streams) {
  if (is_tail_) return store_tail(to, value);
  streams ? vmovntdq(ptr[to], static_cast<const Xbyak::Ymm&>(value)) : vmovdqu(ptr[to], value);
}

void Avx2Bytes::load(Mask out, const Address& from) {
  const Xbyak::Ymm zero(spare);
  load(Dtype::bool_, of(out), from);
  clear(zero);
  vpcmpeqb(of(out), of(out), zero);
  invert(of(out), of(out));
}

void Avx2Bytes::store(const Address& to, Mask value) {
  const Xbyak::Ymm bytes(spare);
  vpabsb(bytes, of(value));
  store(Dtype::bool_, to, bytes, false);
}

// ---- numbers

void Avx2Bytes::unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) {
  const Xmm zero = vector(spare, dtype);
  switch (op) {
    case Op::copy:
    case Op::positive:
      return move(out, x);
    case Op::absolute:
      return dtype == Dtype::int8 ? vpabsb(out, x) : move(out, x);
    case Op::invert:
      return invert(out, x);
    case Op::square:
      return multiply(out, x, x);
    case Op::negative:
      clear(zero);
      return vpsubb(out, zero, x);
    default:
      refuse(op);
  }
}

void Avx2Bytes::binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const bool is_signed = dtype == Dtype::int8;
  switch (op) {
    case Op::add:
      return vpaddb(out, x, y);
    case Op::subtract:
      return vpsubb(out, x, y);
    case Op::multiply:
      return multiply(out, x, y);
    case Op::bitwise_and:
      return vpand(out, x, y);
    case Op::bitwise_or:
      return vpor(out, x, y);
    case Op::bitwise_xor:
      return vpxor(out, x, y);
    case Op::maximum:
      return is_signed ? vpmaxsb(out, x, y) : vpmaxub(out, x, y);
    case Op::minimum:
      return is_signed ? vpminsb(out, x, y) : vpminub(out, x, y);
    default:
      refuse(op);
  }
}

/// Products of pairs of bytes, whose low bytes are kept: once of the lower byte of each pair, once of the
/// higher.
void Avx2Bytes::multiply(const Xmm& out, const Xmm& x, const Xbyak::Operand& y) {
  const Xmm high = vector(spare, Dtype::int8), low = passing(Dtype::int8);
  vmovdqa(high, all(0xff00U, Dtype::int16));
  vpand(high, high, y);
  vpmullw(low, x, y);  // y may be in this register, and is not needed any more
  vpsrlw(out, x, 8);
  vpmullw(high, high, out);
  vpand(low, low, all(0x00ffU, Dtype::int16));
  vpor(out, low, high);
}

void Avx2Bytes::blend(Dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) {
  vpblendvb(out, otherwise, then, of(condition));
}

void Avx2Bytes::convert(Dtype, Dtype, const Xmm& out, const Xmm& x) { move(out, x); }

void Avx2Bytes::convert(Mask truth, Dtype to, const Xmm& out) { vpand(out, of(truth), all(one(to), to)); }

// ---- from numbers to bools

void Avx2Bytes::compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) {
  const Xmm& second = static_cast<const Xmm&>(y);  // integers are in registers
  const Xmm bound = vector(spare, dtype);          // `second` may be in this register
  const bool is_signed = dtype == Dtype::int8;
  switch (op) {
    case Op::equal:
    case Op::not_equal:
      vpcmpeqb(of(out), x, second);
      break;
    case Op::greater:
    case Op::less_equal:
      if (is_signed) {
        vpcmpgtb(of(out), x, second);
      } else {
        vpminub(bound, x, second);
        vpcmpeqb(of(out), bound, x);
      }
      break;
    case Op::less:
    case Op::greater_equal:
      if (is_signed) {
        vpcmpgtb(of(out), second, x);
      } else {
        vpmaxub(bound, x, second);
        vpcmpeqb(of(out), bound, x);
      }
      break;
    default:
      refuse(op);
  }
  // Without a sign the second of each pair was found: `less or equal`, `greater or equal`.
  const bool is_opposite =
      is_signed ? op == Op::less_equal || op == Op::greater_equal : op == Op::less || op == Op::greater;
  if (op == Op::not_equal || is_opposite) invert(of(out), of(out));
}

void Avx2Bytes::jump_if_none(Mask x, Mask y, const Xbyak::Label& to) {
  Xbyak::Ymm any = of(x);
  if (x.number != y.number) vpor(any = Xbyak::Ymm(spare), of(x), of(y));
  vptest(any, any);
  jz(to, T_NEAR);
}

}  // namespace gamelan::engine::jit
