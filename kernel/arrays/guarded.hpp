// SPDX-License-Identifier: BSD-3-Clause
// The boundary between C++ and Python's C interface: no C++ exception may cross it.
#pragma once
#include "kernel/recorder/hooks.hpp"
// (Python.h first)
#include <new>

#include "protocol/error.hpp"

namespace gamelan::kernel {

/// Runs `body`. Turns a C++ exception into a Python one and returns null then.
template <class Body>
PyObject* guarded(Body body) noexcept {
  try {
    try {
      return body();
    } catch (const protocol::Error& error) {
      raise_error(error);
    }
  } catch (const PythonError&) {
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace gamelan::kernel
