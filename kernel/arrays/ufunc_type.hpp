// SPDX-License-Identifier: BSD-3-Clause
// The Python type under gamelan.ufunc. A call with operands alone goes straight to the dispatcher; a call
// with other arguments goes to Python.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Adds the type `Ufunc(op, arity)`. Throws PythonError.
void add_ufunc_type(PyObject* module);

}  // namespace gamelan::kernel
