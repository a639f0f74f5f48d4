// SPDX-License-Identifier: BSD-3-Clause
// Which arrays and operations the loops of kernel/local know.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <optional>

#include "kernel/local/operations.hpp"
#include "protocol/ops.hpp"

namespace gamelan::kernel {

inline std::optional<Arithmetic> arithmetic_of(protocol::Op op) {
  using protocol::Op;
  switch (op) {
    case Op::add:
      return Arithmetic::add;
    case Op::subtract:
      return Arithmetic::subtract;
    case Op::multiply:
      return Arithmetic::multiply;
    case Op::divide:
      return Arithmetic::divide;
    default:
      return std::nullopt;
  }
}

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
