// SPDX-License-Identifier: BSD-3-Clause
// Single elements of distributed arrays. One element is recorded as a copy, and its value costs a round trip.
// When a program wants the values of many elements and writes none of them, the elements around them are
// fetched at once.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// The element of a 0-d view, as a value: 0-d and read-only on the engines, or the NumPy scalar when it is
/// known here. May fetch, and then raises what a fetch raises.
Ref element_of(Array* view);
/// The element that an index names, or a tuple with an index for each axis, when it is known here; null when
/// it is not, and for any other key. Nothing is fetched. Raises where the array is lost.
Ref known_element(const Array* array, PyObject* key);

}  // namespace gamelan::kernel
