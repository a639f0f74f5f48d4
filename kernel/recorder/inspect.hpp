// SPDX-License-Identifier: BSD-3-Clause
// A batch as Python objects: what the reference model of the tests executes and what `_core.pending()` shows.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <vector>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// New reference to a dict with the fields of the batch; nullptr with an exception set.
PyObject* to_python(const protocol::Batch& batch);
/// The contents of a sequence of bytes-like objects. Throws PythonError.
std::vector<protocol::Bytes> bytes_list(PyObject* sequence);

}  // namespace gamelan::kernel
