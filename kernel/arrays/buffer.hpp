// SPDX-License-Identifier: BSD-3-Clause
// Python's buffer protocol. A small array lends its own memory. A distributed one gives a read-only copy to
// those who ask for plain bytes (files, hashes, sockets); those who ask for shape and format (memoryview, and
// NumPy, which goes on to __array__) are refused, so that nobody takes the copy for the array.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Of gamelan._gathering: a NumPy array with the elements of a distributed one, if config.gather_limit
/// allows it.
extern Hook gather_hook;

/// The slots of the array's type.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags);
void array_release_buffer(PyObject* self, Py_buffer* view);

}  // namespace gamelan::kernel
