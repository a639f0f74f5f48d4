// SPDX-License-Identifier: BSD-3-Clause
// Python's buffer protocol of distributed arrays (NumPy has that of small ones): a read-only copy of the
// elements. Callers that want to write are refused.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// A function of gamelan._gathering: returns a NumPy array with the elements of a distributed one, if
/// config.gather_limit allows it.
extern Hook gather_hook;

/// Functions for the slots of the array's type.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags);
void array_release_buffer(PyObject* self, Py_buffer* view);

/// NumPy asks an array for the buffer first, drops what that raises, an interrupt, too, asks for
/// `__array_interface__`, drops what that raises, and asks for `__array__`. Those call this. Throws
/// PythonError with what the buffer of this array has raised within the same instruction of the user's
/// program.
void raise_refusal(const PyObject* array);
void forget_refusal() noexcept;

}  // namespace gamelan::kernel
