// SPDX-License-Identifier: BSD-3-Clause
// A batch as Python objects, for the model of the engines (engine_model.hpp) and for `_core.pending()`.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A dict with the fields of the batch. Throws PythonError.
Ref to_python(const protocol::Batch& batch);

}  // namespace gamelan::kernel
