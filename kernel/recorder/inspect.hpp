// SPDX-License-Identifier: BSD-3-Clause
// A batch as Python objects: what the model of the engines executes (engine_model.hpp) and what
// `_core.pending()` shows.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include "protocol/message.hpp"

namespace gamelan::kernel {

/// New reference to a dict with the fields of the batch; nullptr with an exception set.
PyObject* to_python(const protocol::Batch& batch);

}  // namespace gamelan::kernel
