// SPDX-License-Identifier: BSD-3-Clause
// Writes a schedule's actions in the instructions of a set: where the operands of each action are, and which
// operation it is. compile.cpp writes the loop around them.
#pragma once
#include "engine/jit/instructions.hpp"

namespace gamelan::engine::jit {

class Emitter {
 public:
  virtual ~Emitter() = default;

 protected:
  /// All traces in one function have the same number of lanes.
  explicit Emitter(Instructions& code) : code_(code) {}
  /// The actions that follow belong to this trace, which must outlive them.
  void use(const Trace& trace) { trace_ = &trace; }

  void emit(const Action& action, bool streams);
  void store(const Node& node, const Source& from, bool streams);
  /// Jumps unless one of the conditions holds for some element. The second may be absent.
  void jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to);

  /// The address of the present elements of place p, or of its first element.
  virtual Xbyak::RegExp element(int place, std::size_t item_bytes, int part) = 0;
  virtual Xbyak::RegExp first_element(int place) = 0;
  virtual Xbyak::RegExp spill_slot(int slot) = 0;

  Instructions& code_;
  const Trace* trace_ = nullptr;

 private:
  using Xmm = Instructions::Xmm;
  using Mask = Instructions::Mask;

  Xmm vector(const Source& source, Dtype dtype) const { return code_.vector(source.number, dtype); }
  static Mask mask(const Source& source) { return {source.number}; }
  const Node& node_of(const Action& action) const {
    return trace_->nodes[static_cast<std::size_t>(action.node)];
  }

  void fetch(const Action& action);
  /// `part`: which of the vectors that are computed side by side.
  void fetch(Mask out, const Source& from, int part);
  void fetch(const Xmm& out, const Source& from, Dtype dtype, int part);
  void spill(const Action& action);
  void compute(const Action& action);
  void compute_mask(const Action& action);
  /// Calls `use` with the operand where it is, or in a passing register.
  template <class Use>
  void with(const Source& operand, Dtype dtype, int part, const Use& use);
};

}  // namespace gamelan::engine::jit
