// SPDX-License-Identifier: BSD-3-Clause
// Python's warnings, given at the user's line.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include "protocol/dtype.hpp"

namespace gamelan::kernel {

/// Warns at the user's current line. Throws PythonError where warnings are errors.
void warn(PyObject* category, const char* message);
/// The warning of a cast that keeps the real parts only; none when it keeps all or becomes bool.
void warn_of_real_parts(protocol::Dtype from, protocol::Dtype to);

}  // namespace gamelan::kernel
