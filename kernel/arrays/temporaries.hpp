// SPDX-License-Identifier: BSD-3-Clause
// Temporaries of expressions on small arrays: in `2.5 * v + w` nobody can see the product but the sum. Its
// memory becomes the sum's, as NumPy does it for arrays of its own class
// (numpy/core/src/multiarray/temp_elide.c). A new array of a few hundred thousand elements costs more, in
// page faults, than the addition.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <cstddef>
#include <span>
#include <utility>

#include "protocol/ops.hpp"

namespace gamelan::kernel {

/// While it lives, a slot of Python's operators is calling an operator. One that is called as a function
/// (`np.ndarray.__add__(*pair)`) gets operands that somebody may hold.
class SlotCall {
 public:
  /// `operands`: 1 or 2, of the slot.
  explicit SlotCall(int operands) { operands_ = operands; }
  ~SlotCall() { operands_ = 0; }
  SlotCall(const SlotCall&) = delete;
  SlotCall& operator=(const SlotCall&) = delete;
  /// For the operator, at once: the operands of the slot that calls it; 0 where none does. Code that the
  /// operator calls is not called by the slot.
  static int take() { return std::exchange(operands_, 0); }

 private:
  static inline int operands_ = 0;
};

/// The place of the operand whose memory the result of an operator can take: a large enough small array with
/// the result's dtype and shape, which only the interpreter's stack holds (one reference, none weak, and an
/// operator of the program as the caller); as many as there are operands if there is none. To be called
/// before anything takes another reference to the operands; `slot_operands` as SlotCall says. Of complex
/// numbers the operand must become the first.
std::size_t reusable_operand(protocol::Op op, std::span<PyObject* const> operands, int slot_operands);

}  // namespace gamelan::kernel
