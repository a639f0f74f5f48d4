// SPDX-License-Identifier: BSD-3-Clause
// The instructions of single actions: what an op of a dtype is in AVX-512. Bools are mask registers; other values fill as
// many lanes of a vector register as the trace has. The loop around them is compile.cpp's.
#pragma once
#include <xbyak/xbyak.h>

#include <map>

#include "engine/jit/schedule.hpp"

namespace gamelan::engine::jit {

class Emitter : public Xbyak::CodeGenerator {
 protected:
  /// Traces that share a function have as many lanes.
  Emitter(int lanes, std::size_t most_bytes);
  /// What the actions that follow are of, which must outlive them.
  void use(const Trace& trace) { trace_ = &trace; }

  /// Some lanes at the end of a piece: loads and stores touch those of mask register 1 only.
  enum class Part : std::uint8_t { whole, masked };

  void emit(const Action& action, Part part, bool streams);
  void store(const Node& node, const Source& from, Part part, bool streams);
  /// Jumps unless one of the conditions (the second may be none) holds for some element.
  void jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to);
  /// Repeated constants that the code reads; after the code.
  void emit_constants();

  /// The address of place p's elements at hand, or of its first.
  virtual Xbyak::RegExp element(int place, std::size_t item_bytes, int part) = 0;
  virtual Xbyak::RegExp first_element(int place) = 0;
  virtual Xbyak::RegExp spill_slot(int slot) = 0;

  const Trace* trace_ = nullptr;
  const int lanes_;

 private:
  using Xmm = Xbyak::Xmm;
  using Opmask = Xbyak::Opmask;
  static bool is_wide(Dtype dtype) { return protocol::size_of(dtype) == 8; }
  static bool is_float(Dtype dtype) { return dtype == Dtype::float64 || dtype == Dtype::float32; }
  /// A register as wide as a vector of a dtype.
  Xmm vector(int number, Dtype dtype) const;
  Xmm vector(const Source& source, Dtype dtype) const { return vector(source.number, dtype); }
  static Opmask mask(const Source& source) { return Opmask(source.number); }
  Xbyak::Address constant(std::uint64_t bits, Dtype dtype);

  void fetch(const Action& action, Part part);
  /// `vector_of`: which of the vectors side by side.
  void fetch_mask(const Opmask& out, const Source& from, int vector_of, Part part);
  void fetch_vector(const Xmm& out, const Source& from, Dtype dtype, int vector_of, Part part);
  const Node& node_of(const Action& action) const { return trace_->nodes[static_cast<std::size_t>(action.node)]; }
  void spill(const Action& action);
  void compute(const Action& action, Part part);
  void compute_mask(const Action& action);
  void compute_unary(Op op, Dtype dtype, const Xmm& out, const Xmm& x);
  void compute_binary(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xbyak::Operand& y);
  void choose_larger(Op op, Dtype dtype, const Xmm& out, const Xmm& x, const Xmm& y);
  void compare(Op op, Dtype dtype, const Opmask& out, const Xmm& x, const Xbyak::Operand& y);
  void convert(Dtype from, Dtype to, const Xmm& out, const Source& in);
  void blend(Dtype dtype, const Xmm& out, const Opmask& condition, const Xmm& then, const Xmm& otherwise);

  std::map<std::pair<std::uint64_t, int>, Xbyak::Label> constants_;  // by bits and size
};

}  // namespace gamelan::engine::jit
