// SPDX-License-Identifier: BSD-3-Clause
// AVX2: vectors of 32 bytes, 16 registers. A bool is a lane of a whole vector register, as wide as the widest
// dtype of the trace, with all bits set or none. Nothing is contracted, so fused multiply-adds are only used
// within exp, which is defined by them.
//
// The lanes behind the end of a piece cannot be left out of arithmetic here. Loads fill them with the first
// element, which is wanted: so they raise no flag that this element does not raise.
#pragma once
#include <deque>

#include "engine/jit/instructions.hpp"

namespace gamelan::engine::jit {

class Avx2 : public Instructions {
 public:
  /// More may be alive than there are registers: to wait for one operation after the other takes longer than
  /// to put values away.
  static constexpr Registers registers{.vector_bytes = 32, .vectors = 14, .most_alive = 24};
  static constexpr std::size_t least_bytes = 4;  ///< of an element in a vector
  Avx2(int lanes, std::span<std::byte> room) : Instructions(registers, lanes, room) {}

  Xmm passing(Dtype dtype) const override { return vector(second_spare, dtype); }
  Mask passing_mask() const override { return {second_spare}; }
  bool broadcasts() const override { return false; }
  void begin_tail() override;

  void load(Dtype dtype, const Xmm& out, const Address& from) override;
  void repeat(Dtype dtype, const Xmm& out, const Address& from) override;
  void store(Dtype dtype, const Address& to, const Xmm& value, bool streams) override;
  void load(Mask out, const Address& from) override;
  void repeat(Mask out, const Address& from) override;
  void store(const Address& to, Mask value) override;
  using Instructions::restore;
  using Instructions::save;
  void save(const Address& slot, Mask value) override { save(slot, of(value)); }
  void restore(Mask out, const Address& slot) override { restore(of(out), slot); }

  using Instructions::move;
  void move(Mask out, Mask x) override { move(of(out), of(x)); }
  void clear(const Xmm& out) override { vpxor(out, out, out); }
  void clear(Mask out) override { clear(of(out)); }
  void unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) override;
  void binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) override;
  void blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) override;
  void convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) override;
  void convert(Mask truth, Dtype to, const Xmm& out) override;

  void compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) override;
  void compare_with_zero(Op op, Dtype dtype, Mask out, const Xmm& x) override;
  void logic(Op op, Mask out, Mask x, Mask y) override;
  void choose(Mask out, Mask condition, Mask then, Mask otherwise) override;
  void jump_if_none(Mask x, Mask y, const Xbyak::Label& to) override;

 protected:
  static constexpr int spare = registers.vectors, second_spare = spare + 1;

  static Xbyak::Ymm of(Mask mask) { return Xbyak::Ymm(mask.number); }
  /// A constant element, the same for every lane.
  Xbyak::Address all(std::uint64_t bits, Dtype dtype) { return ptr[rip + constant(bits, dtype)]; }
  void invert(const Xmm& out, const Xmm& x) { vpxor(out, x, all(~std::uint64_t{0}, Dtype::int64)); }

 private:
  void emit_tables() override;
  void emit_unusual() override;

  // In the scratch memory: masks of the tail's elements by their size, their number, and elements that go
  // through memory.
  Address tail_mask(Dtype dtype) const { return scratch_ + (is_wide(dtype) ? 0 : 32); }
  Address tail_count() const { return scratch_ + 64; }
  Address passage() const { return scratch_ + 96; }

  static Xmm low_half(const Xmm& x) { return Xmm(x.getIdx()); }
  Xbyak::Address all(double number);
  bool has_wide_masks() const { return lanes_ == 4; }
  /// A bool in lanes of the dtype: in its own register or in `spare`.
  Xmm narrowed(Mask mask, Dtype dtype);
  /// Makes bools of lanes of the dtype, in the same register.
  void widen(Mask mask, Dtype dtype);
  void select(Dtype dtype, const Xmm& out, const Xmm& condition, const Xmm& then, const Xmm& otherwise);
  void choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y);
  void multiply_wide(const Xmm& out, const Xmm& x, const Xbyak::Operand& y);
  void to_float64(const Xmm& out, const Xmm& x);
  void to_float32(const Xmm& out, const Xmm& x);
  void exp(const Xmm& out, const Xmm& x);
  void exp_mantissas(const Xmm& out, const Xmm& x);
  void exp_of_any(const Xmm& out, const Xmm& x);

  /// An exp some of whose results may be no normal numbers: where its code begins, and where it goes on.
  struct Unusual {
    Xmm out, x;
    Xbyak::Label begin, end;
  };
  std::deque<Unusual> unusual_;
  Xbyak::Label window_;  // 32 bytes of ones, then 32 of zeros
};

}  // namespace gamelan::engine::jit
