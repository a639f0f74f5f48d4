// SPDX-License-Identifier: BSD-3-Clause
// Bools whose bytes are neither 0 nor 1: views of other dtypes (`x.view(bool)`), and what NumPy's arrays of
// bools may hold as well. The engines compute with 0 and 1 only, so whatever reads such bytes as bools reads
// `byte != 0` of them; the bytes stay as they are, because other views show them. Called where operands are
// made.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The array with 0 and 1 for its bools: itself, unless it is a distributed array of bools that may hold
/// other bytes; then a recorded comparison.
Ref with_zeros_and_ones(Ref array);
/// Writes 0 and 1 where a distributed array of bools may hold other bytes, for a command that reads what it
/// writes.
void write_zeros_and_ones(PyObject* array);
/// Whether a contiguous NumPy array in memory is one of bools, with a byte that is neither 0 nor 1.
bool has_other_bytes(PyArrayObject* array);

}  // namespace gamelan::kernel
