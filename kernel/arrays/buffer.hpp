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

/// NumPy asks for the buffer of an array, and drops what that raises, an interrupt, too. Then it asks for
/// `__array_interface__`, and then for `__array__`. True while that has happened to this array within the
/// same instruction of the user's program: then it is to be told that there is no interface.
bool is_refused(const PyObject* array);
/// To be called by `__array__`. Throws PythonError with what the buffer has raised, once.
void raise_refusal(const PyObject* array);

}  // namespace gamelan::kernel
