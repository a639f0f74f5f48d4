// SPDX-License-Identifier: BSD-3-Clause
// a[key] and a[key] = value. For local arrays everything is C, because reading one element takes NumPy 50 ns
// and a Python method four times that. Distributed arrays are passed to gamelan._indexing._subscripts.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

struct Array;

/// Functions of gamelan._indexing._subscripts: a[key] and a[key] = value where an array is distributed.
extern Hook get_item_hook, set_item_hook;

/// A gamelan.ndarray over what NumPy derived from a local array. A view keeps that array as `value`, which is
/// what `base` returns. It keeps no more memory alive than the NumPy array does, unless `resize` gives the
/// owner new memory.
Ref wrap_derived(Array* array, PyObject* derived);

/// Functions for the slots of the array's type.
PyObject* array_subscript(PyObject* self, PyObject* key);
PyObject* array_item(PyObject* self, Py_ssize_t index);
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

}  // namespace gamelan::kernel
