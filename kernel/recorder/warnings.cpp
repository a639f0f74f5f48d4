// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/warnings.hpp"

#include "kernel/recorder/current_line.hpp"

namespace gamelan::kernel {

void warn(PyObject* category, const char* message) {
  Py_ssize_t level = 1;  // the innermost Python frame
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    PyFrameObject* back =
        is_package_code(reinterpret_cast<PyCodeObject*>(code.get())) ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = back;
    if (frame != nullptr) ++level;
  }
  if (PyErr_WarnEx(category, message, level) < 0) throw PythonError();
}

void warn_of_real_parts(protocol::Dtype from, protocol::Dtype to) {
  if (protocol::info(from).kind != 'c' || protocol::info(to).kind == 'c' || protocol::info(to).kind == 'b')
    return;
  const Ref numpy = Ref::checked(PyImport_ImportModule("gamelan._imported_numpy"));
  const Ref category = Ref::checked(PyObject_GetAttrString(numpy.get(), "ComplexWarning"));
  warn(category.get(), "Casting complex values to real discards the imaginary part");
}

}  // namespace gamelan::kernel
