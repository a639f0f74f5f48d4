// SPDX-License-Identifier: BSD-3-Clause
// Iteration over the elements of a distributed array. As with NumPy, each element has the value of the moment
// when the loop asks for it. Elements are fetched in chunks, because a round trip for each would take a
// thousand times as long. Elements that were fetched before a write of the array are dropped.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the type `ElementIterator(array, chunk)`. `chunk(place, is_new)` returns the elements from a place on
/// in a NumPy array of one dimension, or None at the end. `is_new` says that the array was written since the
/// last call. Throws PythonError.
void add_iterator_type(PyObject* module);

}  // namespace gamelan::kernel
