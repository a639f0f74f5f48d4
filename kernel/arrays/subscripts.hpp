// SPDX-License-Identifier: BSD-3-Clause
// a[key] and a[key] = value. For local arrays everything is C, because reading one element takes NumPy 50 ns
// and a Python method four times that. Distributed arrays are passed to gamelan._indexing._subscripts.
#pragma once
#include "kernel/arrays/numpy_api.hpp"
// (Python.h first)
#include <cstdint>

#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Functions of gamelan._indexing._subscripts: a[key] and a[key] = value where an array is distributed.
extern Hook get_item_hook, set_item_hook;

/// Elements from which on masks go by loops of our own: these questions cost more than NumPy's loop over
/// fewer.
constexpr std::int64_t least_of_a_mask = 1024;

// Masks (masks.cpp), by loops of our own (kernel/local/selection). They take what is usual: the mask has the
// array's shape, both lie in C order, and nothing overlaps. All else is NumPy's.

/// a[mask]; empty, without an exception, where NumPy shall do it. Throws PythonError.
Ref picked_by_mask(PyObject* array, PyObject* mask);

/// a[mask] = value. False, and nothing written, where NumPy shall do it. Throws PythonError, before it
/// writes.
bool assign_by_mask(PyObject* array, PyObject* mask, PyObject* value);

/// numpy.where(mask, yes, no) for two arrays of the mask's shape and of one dtype, or one and a Python number
/// that does not change the dtype; empty where NumPy shall do it. A plain NumPy array. Throws PythonError.
Ref chosen_by_mask(PyObject* mask, PyObject* yes, PyObject* no);

/// Functions for the slots of the type of small arrays.
PyObject* local_subscript(PyObject* self, PyObject* key);
int local_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

/// Functions for the slots of the type of distributed arrays.
PyObject* array_subscript(PyObject* self, PyObject* key);
PyObject* array_item(PyObject* self, Py_ssize_t index);
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value);

}  // namespace gamelan::kernel
