// SPDX-License-Identifier: BSD-3-Clause
// The Python types _core.Base and _core.Array: their members, slots and destruction. array_object.hpp says
// what they hold.
#pragma once
#include "kernel/arrays/numpy_api.hpp"

namespace gamelan::kernel {

/// Creates the types and adds them to `module`. Throws PythonError.
void add_array_types(PyObject* module);

}  // namespace gamelan::kernel
