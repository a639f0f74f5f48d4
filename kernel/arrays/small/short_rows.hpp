// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic that broadcasts along short rows, and folds of short rows, by loops of our own (kernel/local):
// NumPy begins a loop for every row.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <span>

#include "protocol/ops.hpp"

namespace gamelan::kernel {

/// Elements below which NumPy's way to its loop is what takes time.
inline constexpr npy_intp least_of_rows = 2048;
inline constexpr npy_intp longest_short_row = 64;

/// The result of an operation with two operands, an array of NumPy's; `out` itself where that is given.
/// Empty, without an exception and with nothing written, where NumPy shall compute: for other operations,
/// dtypes, layouts, sizes, where rows are long, and where a floating-point error is to be told. Throws
/// PythonError.
Ref of_short_rows(protocol::Op op, std::span<PyObject* const> operands, PyObject* out);

/// Which fold a function or method of NumPy's with this name is; -1: none that is known here.
int row_fold_named(const char* name);
/// What the method of that name gives for `array.method(axis, keepdims=keepdims)`, an array of NumPy's. An
/// argument that is not given is null. Empty as above.
Ref fold_of_short_rows(int fold, PyObject* array, PyObject* axis, PyObject* keepdims);
/// The same with the arguments of a vectorcall, the array first; also empty where others are given.
Ref fold_of_short_rows(int fold, PyObject* const* arguments, std::size_t count, PyObject* keywords);
/// With what NumPy begins a sum: 0.0, or -0.0.
void set_begin_of_sums(double zero);

}  // namespace gamelan::kernel
