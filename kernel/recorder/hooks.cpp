// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/hooks.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;

constinit Hook wait_hook, start_hook, checkpoint_hook, error_hook, cut_hook;

std::optional<std::string> ask_wait_hook(double waited_s, const char* found) {
  if (!wait_hook) return std::nullopt;
  Ref answer = Ref::checked(PyObject_CallFunction(wait_hook.get(), "dz", waited_s, found));
  if (answer.get() == Py_None) return std::nullopt;
  const char* text = PyUnicode_AsUTF8(answer.get());
  if (text == nullptr) throw PythonError();
  return text;
}

void ask_start_hook() {
  if (!start_hook) throw Error(ErrorKind::engine_lost, "no engines are connected");
  Ref::checked(PyObject_CallNoArgs(start_hook.get()));
}

void tell_cut(const protocol::Origin& origin) noexcept {
  if (!cut_hook) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Ref told(
      PyObject_CallFunction(cut_hook.get(), "si", origin.file.c_str(), static_cast<int>(origin.line)));
  if (!told) PyErr_WriteUnraisable(cut_hook.get());
  PyErr_Restore(type, value, traceback);
}

void raise_error(const Error& error, const protocol::Origin& origin) {
  const std::string kind(protocol::python_class(error.kind()));
  if (!error_hook) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    throw PythonError();
  }
  Ref exception = Ref::checked(PyObject_CallFunction(error_hook.get(), "sssi", kind.c_str(), error.what(),
                                                     origin.file.c_str(), static_cast<int>(origin.line)));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  throw PythonError();
}

}  // namespace gamelan::kernel
