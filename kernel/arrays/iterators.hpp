// SPDX-License-Identifier: BSD-3-Clause
// Iteration over the elements of a distributed array: each as it is when the loop asks for it, as with NumPy.
// They come in chunks, because a round trip for each would take a thousand times as long; what came before a
// write of the array is dropped.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the type `ElementIterator(array, chunk)`: `chunk(place, is_new)` returns the elements from a place on
/// in a NumPy array of one dimension, or None at the end; `is_new` says that the array was written since it
/// was called last. Throws PythonError.
void add_iterator_type(PyObject* module);

}  // namespace gamelan::kernel
