// SPDX-License-Identifier: BSD-3-Clause
// The border between C++ and Python's C interface: no C++ exception crosses it.
#pragma once
#include "kernel/recorder/hooks.hpp"
// (Python.h first)
#include <new>

#include "protocol/error.hpp"

namespace gamelan::kernel {

/// Runs `body`; every C++ exception becomes the Python one, and the result null.
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
