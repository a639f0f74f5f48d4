// SPDX-License-Identifier: BSD-3-Clause
// Data that crosses between the notebook and the engines: uploads (op `constant`), fetches, and the values of
// 0-d arrays.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A new distributed array with the elements of a NumPy array, copied now.
Ref upload(PyArrayObject* source);
/// The elements of the arrays as fresh NumPy arrays, in one round trip. Local arrays are copied.
std::vector<Ref> fetch(const std::vector<const Array*>& arrays);
/// The NumPy scalar that a 0-d array holds; kept on the object until something writes its base.
Ref value_of(Array* array);

}  // namespace gamelan::kernel
