// SPDX-License-Identifier: BSD-3-Clause
// The Python type gamelan._core.Call: what the user sees of a function of the package. It behaves like the
// function it holds, and a UserCall lives while it runs.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// Adds the type `Call(function)`. Throws PythonError.
void add_call_type(PyObject* module);

}  // namespace gamelan::kernel
