// SPDX-License-Identifier: BSD-3-Clause
// Which arrays the loops of kernel/local know.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include "kernel/recorder/pending/arithmetic_of.hpp"

namespace gamelan::kernel {

/// An array here of aligned numbers of a type of NumPy's (NPY_DOUBLE), in this machine's order; null for
/// anything else. A dtype with notes is another one.
template <int type>
PyArrayObject* array_of(PyObject* object) {
  if (!is_local(object) && !PyArray_CheckExact(object)) return nullptr;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  static const PyArray_Descr* const dtype = PyArray_DescrFromType(type);
  return PyArray_DESCR(array) == dtype && PyArray_ISALIGNED(array) ? array : nullptr;
}

}  // namespace gamelan::kernel
