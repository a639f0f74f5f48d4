// SPDX-License-Identifier: BSD-3-Clause
// What machine code needs of an instruction set: the loads, stores and operations of a vector of elements.
// Emitter calls it, and knows no set; avx2.cpp and avx512.cpp know one each. A value has a register that the
// schedule gave it. How wide a register is, how a bool is kept in one, and how the elements behind the end of
// a piece are left alone is for the set to decide. The scalar rules are those of
// engine/tiles/loops/scalar*.hpp.
#pragma once
#include <xbyak/xbyak.h>

#include <map>
#include <span>
#include <utility>

#include "engine/jit/schedule.hpp"

namespace gamelan::engine::jit {

class Instructions : public Xbyak::CodeGenerator {
 public:
  using Xmm = Xbyak::Xmm;  ///< a vector register of any width
  using Address = Xbyak::RegExp;
  /// The register of a bool, by the number that the schedule gave it.
  struct Mask {
    int number;
  };

  /// Writes code to `room`, which must be aligned to 64 bytes. Throws Xbyak::Error when it is full.
  Instructions(const Registers& registers, int lanes, std::span<std::byte> room);

  int lanes() const { return lanes_; }
  /// The register `number`, as wide as a vector of the dtype.
  Xmm vector(int number, Dtype dtype) const;
  /// A register that no schedule uses, for a value that is used at once. Only loads and stores, and
  /// operations that take memory, leave it alone.
  virtual Xmm passing(Dtype dtype) const = 0;
  virtual Mask passing_mask() const = 0;
  /// True when an operand in memory may be one element for all.
  virtual bool broadcasts() const = 0;

  /// From here on only the first `rax` elements of a vector are wanted, fewer than it has. Nothing is written
  /// behind them, and read only what lies in the same page. No flag of the processor is raised for it. The
  /// tail has `scratch_bytes` at `scratch`, aligned to 64. Changes rax and rcx.
  virtual void begin_tail() = 0;
  void end_tail() { is_tail_ = false; }
  bool is_tail() const { return is_tail_; }
  static constexpr int scratch_bytes = 128;
  void use_scratch(const Address& scratch) { scratch_ = scratch; }
  /// Writes code for rare cases, constants and tables; to be called after all other code.
  void emit_constants();

  // From and to memory: elements that lie one behind the other, or one element for all.
  virtual void load(Dtype dtype, const Xmm& out, const Address& from) = 0;
  virtual void repeat(Dtype dtype, const Xmm& out, const Address& from) = 0;
  virtual void store(Dtype dtype, const Address& to, const Xmm& value, bool streams) = 0;
  virtual void load(Mask out, const Address& from) = 0;
  virtual void repeat(Mask out, const Address& from) = 0;
  virtual void store(const Address& to, Mask value) = 0;

  // To a slot of the frame and back, whole registers.
  void save(const Address& slot, const Xmm& value);
  void restore(const Xmm& out, const Address& slot);
  virtual void save(const Address& slot, Mask value) = 0;
  virtual void restore(Mask out, const Address& slot) = 0;

  // From register to register. `y` may be in memory where takes_memory() says so.
  void move(const Xmm& out, const Xmm& x);
  virtual void move(Mask out, Mask x) = 0;
  virtual void clear(const Xmm& out) = 0;
  virtual void clear(Mask out) = 0;
  virtual void unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x) = 0;
  virtual void binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y) = 0;
  virtual void blend(Dtype dtype, const Xmm& out, Mask condition, const Xmm& then, const Xmm& otherwise) = 0;
  virtual void convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x) = 0;
  virtual void convert(Mask truth, Dtype to, const Xmm& out) = 0;

  // From numbers to bools; isnan and isfinite use x only.
  virtual void compare(Op op, Dtype dtype, Mask out, const Xmm& x, const Xbyak::Operand& y) = 0;
  virtual void compare_with_zero(Op op, Dtype dtype, Mask out, const Xmm& x) = 0;
  /// From bools to bools; a unary op uses x only.
  virtual void logic(Op op, Mask out, Mask x, Mask y) = 0;
  virtual void choose(Mask out, Mask condition, Mask then, Mask otherwise) = 0;
  /// Jumps unless one of the bools holds for some element.
  virtual void jump_if_none(Mask x, Mask y, const Xbyak::Label& to) = 0;

 protected:
  static bool is_wide(Dtype dtype) { return protocol::size_of(dtype) == 8; }
  static bool is_float(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::float32; }
  [[noreturn]] static void refuse(Op op);

  // Bits of an element.
  static std::uint64_t sign_bit(Dtype dtype);
  static std::uint64_t one(Dtype dtype);
  static std::uint64_t infinity(Dtype dtype);
  // Immediate operands of both sets. Comparisons are quiet, and false of NaN except for `not equal`.
  static std::uint8_t predicate(Op op);
  static constexpr std::uint8_t unordered = 0x03, less = 0x11;
  /// Of floor, ceil, trunc and rint: without an exception.
  static std::uint8_t rounding(Op op);

  /// Code to which other code jumps in rare cases.
  virtual void emit_unusual() {}
  /// Other tables than constants.
  virtual void emit_tables() {}
  /// Where a constant element stands, as often as a vector has room for it.
  const Xbyak::Label& constant(std::uint64_t bits, Dtype dtype);

  const int lanes_;
  bool is_tail_ = false;
  Address scratch_;

 private:
  const int vector_bytes_;
  std::map<std::pair<std::uint64_t, int>, Xbyak::Label> constants_;  // by bits and size
};

}  // namespace gamelan::engine::jit
