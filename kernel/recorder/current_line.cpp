// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/current_line.hpp"

#include <string_view>
#include <unordered_set>

namespace gamelan::kernel {

namespace {
std::string package_directory;
std::unordered_set<const PyObject*> numpys_own;  // code objects
}  // namespace

bool is_package_code(PyCodeObject* code) {
  Py_ssize_t size = 0;
  const char* file = PyUnicode_AsUTF8AndSize(code->co_filename, &size);
  if (file == nullptr) {
    PyErr_Clear();
    return false;
  }
  return !package_directory.empty() &&
         std::string_view(file, static_cast<std::size_t>(size)).starts_with(package_directory);
}

void set_package_directory(const std::string& directory) { package_directory = directory + "/"; }

void add_numpys_own(PyObject* code) {
  Py_INCREF(code);  // the package is never unloaded
  numpys_own.insert(code);
}

CurrentLine current_line() {
  CurrentLine current;
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* frame_code = PyFrame_GetCode(frame);
    PyFrameObject* back = is_package_code(frame_code) ? PyFrame_GetBack(frame) : nullptr;
    if (back == nullptr) {
      current.line = {frame_code, PyFrame_GetLasti(frame)};
      current.code = Ref(reinterpret_cast<PyObject*>(frame_code));
      current.globals = Ref(PyFrame_GetGlobals(frame));
      Py_DECREF(frame);
      return current;
    }
    current.is_numpys_own =
        current.is_numpys_own && numpys_own.contains(reinterpret_cast<PyObject*>(frame_code));
    Py_DECREF(frame_code);
    Py_DECREF(frame);
    frame = back;
  }
  current.is_numpys_own = false;
  return current;  // called from C alone: no line to name
}

protocol::Origin resolve(const SourceLine& line) {
  if (line.code == nullptr) return {};
  auto* code = reinterpret_cast<PyCodeObject*>(const_cast<void*>(line.code));
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (file == nullptr) PyErr_Clear();
  return {file == nullptr ? "" : file, PyCode_Addr2Line(code, line.offset)};
}

}  // namespace gamelan::kernel
