// SPDX-License-Identifier: BSD-3-Clause
// The entry points of gamelan._core that every operator goes through, by Python's C interface: an operator
// must stay close to NumPy's own cost.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the functions and the type Ufunc to the module; throws PythonError.
void add_hot_calls(PyObject* module);

}  // namespace gamelan::kernel
