// SPDX-License-Identifier: BSD-3-Clause
// AVX-512 (F, DQ, BW, VL): vectors of 64 bytes, a bool is a bit of a mask register. The lanes behind the end
// of a piece are masked in loads, in stores and in arithmetic that raises flags.
#pragma once
#include "engine/jit/instructions.hpp"

namespace gamelan::engine::jit {

class Avx512 final : public Instructions {
 public:
  static constexpr std::size_t least_bytes = 4;  ///< of an element in a vector
  static constexpr Registers registers{
      .vector_bytes = 64, .vectors = 31, .first_mask = 2, .masks = 4, .most_alive = 28};
  Avx512(int lanes, std::span<std::byte> room) : Instructions(registers, lanes, room) {}

  Xmm passing(Dtype dtype) const override { return vector(spare, dtype); }
  Mask passing_mask() const override { return {spare_mask}; }
  bool broadcasts() const override { return true; }
  void begin_tail() override;

  void load(Dtype dtype, const Xmm& out, const Address& from) override;
  void repeat(Dtype dtype, const Xmm& out, const Address& from) override;
  void store(Dtype dtype, const Address& to, const Xmm& value, bool streams) override;
  void load(Mask out, const Address& from) override;
  void repeat(Mask out, const Address& from) override;
  void store(const Address& to, Mask value) override;
  using Instructions::restore;
  using Instructions::save;
  void save(const Address& slot, Mask value) override { kmovw(word[slot], of(value)); }
  void restore(Mask out, const Address& slot) override { kmovw(of(out), word[slot]); }

  using Instructions::move;
  void move(Mask out, Mask x) override { kmovw(of(out), of(x)); }
  void clear(const Xmm& out) override { vpxord(out, out, out); }
  void clear(Mask out) override { kxorw(of(out), of(out), of(out)); }
  void unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) override;
  void binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) override;
  void blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) override;
  void convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) override;
  void convert(Mask truth, Dtype to, const Xmm& out) override;

  void compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) override;
  void compare_with_zero(Op op, Dtype dtype, Mask out, const Xmm& x) override {
    compare(op, dtype, out, x, all(0, dtype));
  }
  void logic(Op op, Mask out, Mask x, Mask y) override;
  void choose(Mask out, Mask condition, Mask then, Mask otherwise) override;
  void jump_if_none(Mask x, Mask y, const Xbyak::Label& to) override;

 private:
  static constexpr int spare = registers.vectors, tail_mask = 1,
                       spare_mask = registers.first_mask + registers.masks, other_spare_mask = spare_mask + 1;

  static Xbyak::Opmask of(Mask mask) { return Xbyak::Opmask(mask.number); }
  /// A constant element, the same for every lane.
  Xbyak::Address all(std::uint64_t bits, Dtype dtype) { return ptr_b[rip + constant(bits, dtype)]; }
  void fill(Dtype dtype, const Xmm& out, std::uint64_t bits);
  /// In a tail the lanes behind it are zero.
  Xmm wanted(const Xmm& out) const { return is_tail_ ? out | Xbyak::Opmask(tail_mask) | T_z : out; }
  void choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y);
};

}  // namespace gamelan::engine::jit
