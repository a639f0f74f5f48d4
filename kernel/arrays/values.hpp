// SPDX-License-Identifier: BSD-3-Clause
// Elements that cross between the notebook and the engines: uploads (op `constant`), fetches, and the values
// of 0-d arrays.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A new distributed array with the elements of a NumPy array, copied now.
Ref upload(PyArrayObject* source);
/// The elements of the arrays as new NumPy arrays. Local arrays are copied. All come in one round trip, but
/// large ones in several: another thread may write to such an array meanwhile, as to a NumPy array that is
/// copied.
std::vector<Ref> fetch(const std::vector<PyObject*>& arrays);
/// The NumPy scalar of a 0-d array of ours. A distributed one keeps it until its base is written.
Ref value_of(PyObject* array);

}  // namespace gamelan::kernel
