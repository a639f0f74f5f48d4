// SPDX-License-Identifier: BSD-3-Clause
// The Python type gamelan._core.Call: the functions of the package are objects of this type. Such an object
// behaves like the function it holds, and a UserCall exists while the function runs.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Adds the type `Call(function)`. Throws PythonError.
void add_call_type(PyObject* module);

}  // namespace gamelan::kernel
