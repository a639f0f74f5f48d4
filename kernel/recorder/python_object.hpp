// SPDX-License-Identifier: BSD-3-Clause
// Python objects in C++: an owned reference, a callable that the Python half registers, and the C++ exception
// for a Python exception that is set. Knows Python and not NumPy.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
// (Python.h must precede the standard headers)
#include <exception>

namespace gamelan::kernel {

/// Thrown when a Python exception is set; caught at the boundary. (pybind11's error_already_set costs more.)
struct PythonError : std::exception {};

/// Owns one reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* stolen) : object_(stolen) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  /// Takes over a new reference that a function of Python returned. Throws PythonError when it is null.
  static Ref checked(PyObject* stolen) {
    if (stolen == nullptr) throw PythonError();
    return Ref(stolen);
  }
  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// True when an exception of this type ends a program from outside, as KeyboardInterrupt does: it does not
/// derive from `Exception`. False for null.
inline bool is_interrupt(PyObject* type) noexcept {
  return type != nullptr && PyErr_GivenExceptionMatches(type, PyExc_Exception) == 0;
}

/// A callable of the Python half that the C++ half calls; null until a module of the package registers it.
/// Never released: hooks are globals, and Python has ended before they are destroyed.
class Hook {
 public:
  void set(PyObject* callable) {
    Py_XINCREF(callable);
    Py_XSETREF(callable_, callable);
  }
  PyObject* get() const { return callable_; }
  explicit operator bool() const { return callable_ != nullptr; }

 private:
  PyObject* callable_ = nullptr;
};

}  // namespace gamelan::kernel
