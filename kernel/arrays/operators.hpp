// SPDX-License-Identifier: BSD-3-Clause
// `_core.Operator`: what stands in ndarray's class for an operator of Python or for a method that NumPy may
// warn in. It is C all the way to NumPy, so that a warning about small arrays names the user's line and not
// one of ours.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the type Operator to the module; throws PythonError.
void add_operators(PyObject* module);

}  // namespace gamelan::kernel
