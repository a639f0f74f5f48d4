// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/hooks.hpp"

#include <pthread.h>

#include <atomic>

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;

namespace {

PyObject* wait_hook = nullptr;
PyObject* start_hook = nullptr;
PyObject* error_factory = nullptr;
std::atomic<bool> is_child{false};

void replace(PyObject*& slot, PyObject* value) {
  Py_XINCREF(value);
  Py_XSETREF(slot, value);
}

}  // namespace

void set_wait_hook(PyObject* callable) { replace(wait_hook, callable); }
void set_start_hook(PyObject* callable) { replace(start_hook, callable); }
void set_error_factory(PyObject* callable) { replace(error_factory, callable); }
bool is_forked_child() { return is_child; }

void raise_error(const Error& error, const protocol::Origin& origin) {
  const std::string kind(protocol::python_class(error.kind()));
  if (error_factory == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    throw PythonError();
  }
  Ref exception = Ref::checked(PyObject_CallFunction(error_factory, "sssi", kind.c_str(), error.what(),
                                                     origin.file.c_str(), static_cast<int>(origin.line)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  throw PythonError();
}

std::optional<std::string> ask_wait_hook(double waited_s, const char* lost) {
  if (wait_hook == nullptr) return std::nullopt;
  Ref answer = Ref::checked(PyObject_CallFunction(wait_hook, "dz", waited_s, lost));
  if (answer.get() == Py_None) return std::nullopt;
  const char* text = PyUnicode_AsUTF8(answer.get());
  if (text == nullptr) throw PythonError();
  return text;
}

void ask_start_hook() {
  if (start_hook == nullptr) throw Error(ErrorKind::engine_lost, "no engines are connected");
  Ref::checked(PyObject_CallNoArgs(start_hook));
}

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_child = true; });
  if (registered != 0) throw Error(ErrorKind::os, "[connect] pthread_atfork failed");
}

}  // namespace gamelan::kernel
