// SPDX-License-Identifier: BSD-3-Clause
// a[key] and a[key] = value. For local arrays everything is C, because reading one element takes NumPy 50 ns
// and a Python method four times that. Distributed arrays are passed to gamelan._indexing._subscripts.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Functions of gamelan._indexing._subscripts: a[key] and a[key] = value where an array is distributed.
extern Hook get_item_hook, set_item_hook;

/// Functions for the slots of the type of small arrays.
PyObject* local_subscript(PyObject* self, PyObject* key);
int local_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

/// Functions for the slots of the type of distributed arrays.
PyObject* array_subscript(PyObject* self, PyObject* key);
PyObject* array_item(PyObject* self, Py_ssize_t index);
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

}  // namespace gamelan::kernel
