// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that every operator calls. They use Python's C interface directly, because
// an operator should not cost much more than NumPy's own.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the functions and the type Ufunc to the module; throws PythonError.
void add_hot_calls(PyObject* module);

}  // namespace gamelan::kernel
