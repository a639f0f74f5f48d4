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

/// An array here of aligned numbers of float64 (or float32) in this machine's order; null for anything else.
/// A dtype with notes is another one.
inline PyArrayObject* array_of_float64(PyObject* object) {
  if (!is_local(object) && !PyArray_CheckExact(object)) return nullptr;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  static const PyArray_Descr* const float64 = PyArray_DescrFromType(NPY_DOUBLE);
  return PyArray_DESCR(array) == float64 && PyArray_ISALIGNED(array) ? array : nullptr;
}
inline PyArrayObject* array_of_float32(PyObject* object) {
  if (!is_local(object) && !PyArray_CheckExact(object)) return nullptr;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  static const PyArray_Descr* const float32 = PyArray_DescrFromType(NPY_FLOAT);
  return PyArray_DESCR(array) == float32 && PyArray_ISALIGNED(array) ? array : nullptr;
}

}  // namespace gamelan::kernel
