// SPDX-License-Identifier: BSD-3-Clause
// Writes the instructions of a schedule's actions: loads, spills, computation and stores, for whole vectors
// of elements or for some lanes. compile.cpp writes the loop around them.
#pragma once
#include "engine/jit/arithmetic.hpp"

namespace gamelan::engine::jit {

class Emitter : public Arithmetic {
 protected:
  /// All traces in one function have the same number of lanes.
  using Arithmetic::Arithmetic;
  /// The actions that follow belong to this trace, which must outlive them.
  void use(const Trace& trace) { trace_ = &trace; }

  /// `masked`: only some lanes, at the end of a piece; loads and stores touch those of mask register 1 only.
  enum class Part : std::uint8_t { whole, masked };

  void emit(const Action& action, Part part, bool streams);
  void store(const Node& node, const Source& from, Part part, bool streams);
  /// Jumps unless one of the conditions holds for some element. The second may be absent.
  void jump_if_none(const Source& condition, const Source& other, const Xbyak::Label& to);

  /// The address of the present elements of place p, or of its first element.
  virtual Xbyak::RegExp element(int place, std::size_t item_bytes, int part) = 0;
  virtual Xbyak::RegExp first_element(int place) = 0;
  virtual Xbyak::RegExp spill_slot(int slot) = 0;

  const Trace* trace_ = nullptr;

 private:
  using Arithmetic::vector;
  Xmm vector(const Source& source, Dtype dtype) const { return vector(source.number, dtype); }
  static Opmask mask(const Source& source) { return Opmask(source.number); }
  const Node& node_of(const Action& action) const {
    return trace_->nodes[static_cast<std::size_t>(action.node)];
  }

  void fetch(const Action& action, Part part);
  /// `vector_of`: which of the vectors that are computed side by side.
  void fetch_mask(const Opmask& out, const Source& from, int vector_of, Part part);
  void fetch_vector(const Xmm& out, const Source& from, Dtype dtype, int vector_of, Part part);
  void spill(const Action& action);
  void compute(const Action& action, Part part);
  void compute_mask(const Action& action);
};

}  // namespace gamelan::engine::jit
