// SPDX-License-Identifier: BSD-3-Clause
// Views of small arrays by keys of slices, whole numbers, `...` and None: what programs write most. NumPy's
// way to them is made for all keys, and asks a derived class about each view.
#pragma once
#include "kernel/arrays/numpy_api.hpp"

namespace gamelan::kernel {

/// array[key] as a new view: a small array of ours, with the flags that NumPy gives it. Null without an
/// exception where NumPy shall do it: for other keys, wrong ones, and those that name one element. Null with
/// one when there is no memory. `array` must be a small array, of no derived class.
PyObject* basic_view(PyObject* array, PyObject* key);

/// array[key] = value by NumPy's own assignment to the view. 1 when it is done, -1 with an exception, and 0
/// without one where NumPy shall look at the key.
int assign_to_basic_view(PyObject* array, PyObject* key, PyObject* value);

}  // namespace gamelan::kernel
