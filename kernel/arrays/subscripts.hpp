// SPDX-License-Identifier: BSD-3-Clause
// a[key] and a[key] = value: C all the way for local arrays, because reading one element costs NumPy 50 ns
// and a Python method four times that. Distributed ones go to gamelan._indexing._subscripts.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

struct Array;

/// Of gamelan._indexing._subscripts: a[key] and a[key] = value where an array is distributed.
extern Hook get_item_hook, set_item_hook;

/// A gamelan.ndarray over what NumPy derived from a local array. A view of its memory keeps the array as
/// `value`, for `base`: it would keep the memory anyway.
Ref wrap_derived(Array* array, PyObject* derived);

/// The slots of the array's type.
PyObject* array_subscript(PyObject* self, PyObject* key);
PyObject* array_item(PyObject* self, Py_ssize_t index);
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

}  // namespace gamelan::kernel
