// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

namespace {

PyTypeObject* base_type = nullptr;
PyTypeObject* array_type = nullptr;   // _core.Array
PyTypeObject* array_class = nullptr;  // gamelan.ndarray, once it is registered

}  // namespace

void set_array_types(PyTypeObject* base, PyTypeObject* array) {
  base_type = base;
  array_type = array_class = array;
}

void set_array_class(PyTypeObject* type) {
  Py_INCREF(type);
  array_class = type;
}

PyObject* new_base() { return base_type->tp_alloc(base_type, 0); }

bool is_array(PyObject* object) {
  return Py_TYPE(object) == array_class || PyType_IsSubtype(Py_TYPE(object), array_type);
}

void disown(Array* array) {
  if (array->b != nullptr && array->b->owner == array) array->b->owner = nullptr;
}

Ref wrap(PyObject* value, Base* base) {
  return PyArray_Check(value) && !has_own_class(value) ? hold(value, base) : Ref::borrow(value);
}

bool has_own_class(PyObject* value) {
  static const PyObject* const memmap = PyObject_GetAttrString(PyImport_AddModule("numpy"), "memmap");
  return !PyArray_CheckExact(value) && PyArray_Check(value) &&
         reinterpret_cast<PyObject*>(Py_TYPE(value)) != memmap;
}

Ref hold(PyObject* value, Base* base) {
  Ref result = Ref::checked(array_class->tp_alloc(array_class, 0));
  Array* array = as_array(result.get());
  Py_INCREF(value);
  array->a = value;
  Py_XINCREF(reinterpret_cast<PyObject*>(base));
  array->b = base;
  return result;
}

}  // namespace gamelan::kernel
