// SPDX-License-Identifier: BSD-3-Clause
// AVX2 for traces of bools and numbers of one byte: 32 lanes, a bool is a byte with all bits set or none.
// What such a trace does raises no flag, so in the lanes behind the end of a piece anything may stand.
#pragma once
#include "engine/jit/avx2.hpp"

namespace gamelan::engine::jit {

class Avx2Bytes final : public Avx2 {
 public:
  static constexpr std::size_t least_bytes = 1;
  using Avx2::Avx2;

  void begin_tail() override;

  void load(Dtype dtype, const Xmm& out, const Address& from) override;
  void repeat(Dtype dtype, const Xmm& out, const Address& from) override;
  void store(Dtype dtype, const Address& to, const Xmm& value, bool streams) override;
  void load(Mask out, const Address& from) override;
  using Avx2::repeat;
  void store(const Address& to, Mask value) override;

  void unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) override;
  void binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) override;
  void blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) override;
  void convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) override;
  void convert(Mask truth, Dtype to, const Xmm& out) override;
  void compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) override;
  void jump_if_none(Mask x, Mask y, const Xbyak::Label& to) override;

 private:
  void emit_unusual() override;

  // In the scratch memory: bytes of the end of a page and room behind them, and the number of bytes wanted.
  Address passage() const { return scratch_; }
  Address tail_count() const { return scratch_ + 64; }
  void load_tail(const Xmm& out, const Address& from);
  void store_tail(const Address& to, const Xmm& value);
  void multiply(const Xmm& out, const Xmm& x, const Xbyak::Operand& y);

  /// A load of 32 bytes that may reach into the next page.
  struct AtPageEnd {
    Xmm out;
    Xbyak::Label begin, whole, end;
  };
  std::deque<AtPageEnd> at_page_end_;
};

}  // namespace gamelan::engine::jit
