// SPDX-License-Identifier: BSD-3-Clause
// Bools whose bytes are neither 0 nor 1. Views of other dtypes (`x.view(bool)`) have them, and so may NumPy's
// arrays of bools. The engines compute with 0 and 1 only. So a command that reads such bytes as bools reads
// `byte != 0` instead. The bytes themselves stay, because other views show them. Called where operands are
// made.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The array with 0 and 1 for its bools: the array itself, or, if it is a distributed array of bools that may
/// hold other bytes, a recorded comparison.
Ref with_zeros_and_ones(Ref array);
/// Records a command that writes 0 and 1 where a distributed array of bools may hold other bytes. Needed
/// before a command that reads what it writes.
void write_zeros_and_ones(PyObject* array);
/// True for a contiguous NumPy array of bools with a byte that is neither 0 nor 1.
bool has_other_bytes(PyArrayObject* array);

}  // namespace gamelan::kernel
