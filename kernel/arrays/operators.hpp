// SPDX-License-Identifier: BSD-3-Clause
// `_core.Operator`: the objects in ndarray's class for Python's operators, and for methods in which NumPy may
// warn. All frames down to NumPy are C, so a warning about small arrays names the user's line and not one of
// this package.
#pragma once
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

/// Adds the type Operator to the module; throws PythonError.
void add_operators(PyObject* module);
/// Says whether `==` and `!=` of arrays whose shapes do not fit raise, or are False and True with a warning.
void set_unequal_shapes_raise(bool value);

}  // namespace gamelan::kernel
