// SPDX-License-Identifier: BSD-3-Clause
// The AVX-512 instructions of an op in a dtype, register to register. Bools are mask registers; other values
// fill as many lanes of a vector register as the trace has. The scalar rules are those of
// engine/tiles/loops/scalar*.hpp.
#pragma once
#include <xbyak/xbyak.h>

#include <map>
#include <span>
#include <utility>

#include "engine/jit/schedule.hpp"

namespace gamelan::engine::jit {

// Registers that no schedule uses; arithmetic may use the spare ones at any time.
inline constexpr int spare_vector = vector_registers, tail_mask = 1, spare_mask = first_mask + mask_registers,
                     other_spare_mask = spare_mask + 1;

class Arithmetic : public Xbyak::CodeGenerator {
 protected:
  using Xmm = Xbyak::Xmm;
  using Opmask = Xbyak::Opmask;

  /// Writes code to `room`, which must be aligned to 64 bytes. Throws Xbyak::Error when it is full.
  Arithmetic(int lanes, std::span<std::byte> room);

  /// The register `number`, as wide as a vector of the dtype.
  Xmm vector(int number, Dtype dtype) const;
  /// The address of a constant element, the same for every lane (a bool: sixteen of them).
  Xbyak::Address constant(std::uint64_t bits, Dtype dtype);
  /// Writes the constants; to be called after all code.
  void emit_constants();

  /// Operations on numbers. `y` may be in memory where takes_memory() says so.
  void unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x);
  void binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y);
  void blend(Dtype dtype, const Xmm& out, const Opmask& condition, const Xmm& then, const Xmm& otherwise);
  void convert(Dtype from, Dtype to, const Xmm& out, const Xmm& x);
  void convert(const Opmask& truth, Dtype to, const Xmm& out);
  /// From numbers to bools; isnan and isfinite use x only.
  void compare(Op op, Dtype dtype, const Opmask& out, const Xmm& x, const Xbyak::Operand& y);
  /// Operations on bools; a unary op uses x only.
  void logic(Op op, const Opmask& out, const Opmask& x, const Opmask& y);
  void choose(const Opmask& out, const Opmask& condition, const Opmask& then, const Opmask& otherwise);

  const int lanes_;
  /// While this is set, lanes beyond the tail do no arithmetic, so that elements nobody asked for raise no
  /// flag of the processor.
  bool spares_tail_ = false;

 private:
  static bool is_wide(Dtype dtype) { return protocol::size_of(dtype) == 8; }
  static bool is_float(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::float32; }
  Xmm of_wanted_lanes(const Xmm& out) const { return spares_tail_ ? out | Opmask(tail_mask) | T_z : out; }
  void choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y);

  std::map<std::pair<std::uint64_t, int>, Xbyak::Label> constants_;  // by bits and size
};

}  // namespace gamelan::engine::jit
