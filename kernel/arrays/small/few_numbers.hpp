// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on arrays of a few numbers by a loop of our own (kernel/local/arithmetic): before its loop NumPy
// looks for a type, a shape and an order, which takes as long as to add a thousand numbers.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <span>

#include "protocol/ops.hpp"

namespace gamelan::kernel {

/// The result of an operation with two operands, an array of NumPy's; `out` itself where that is given.
/// Empty, without an exception and with nothing written, where NumPy shall compute: for other dtypes,
/// layouts, shapes and sizes, and where a floating-point error is to be told. Throws PythonError.
Ref of_few_numbers(protocol::Op op, std::span<PyObject* const> operands, PyObject* out);

}  // namespace gamelan::kernel
