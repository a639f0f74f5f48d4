// SPDX-License-Identifier: BSD-3-Clause
// The Python type under gamelan.ufunc. Called with its operands alone it goes straight to the dispatcher,
// with anything else to Python.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Adds the type `Ufunc(op, arity)`. Throws PythonError.
void add_ufunc_type(PyObject* module);

}  // namespace gamelan::kernel
