// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

namespace {

PyTypeObject* base_type = nullptr;
PyTypeObject* array_type = nullptr;   // _core.Array
PyTypeObject* array_class = nullptr;  // the Python class of distributed arrays, once it is registered
PyTypeObject* local_type = nullptr;   // gamelan.ndarray

Ref view_as(PyObject* value, PyTypeObject* type) {
  return Ref::checked(PyArray_View(reinterpret_cast<PyArrayObject*>(value), nullptr, type));
}

}  // namespace

void set_array_types(PyTypeObject* base, PyTypeObject* array, PyTypeObject* local) {
  base_type = base;
  array_type = array_class = array;
  local_type = local;
}

void set_array_class(PyTypeObject* type) {
  Py_INCREF(type);
  array_class = type;
}

PyObject* local_class() { return reinterpret_cast<PyObject*>(local_type); }

PyObject* new_base() { return base_type->tp_alloc(base_type, 0); }

bool is_local(PyObject* object) { return PyObject_TypeCheck(object, local_type); }

bool is_distributed(PyObject* object) {
  return (Py_TYPE(object) == array_class || PyType_IsSubtype(Py_TYPE(object), array_type)) &&
         as_array(object)->b != nullptr;
}

bool is_array(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return type == array_class || type == local_type || PyType_IsSubtype(type, array_type) ||
         PyType_IsSubtype(type, local_type);
}

PyObject* numpys(PyObject* object) {
  return Py_TYPE(object) == array_class || PyType_IsSubtype(Py_TYPE(object), array_type) ? as_array(object)->a
                                                                                         : object;
}

void disown(Array* array) {
  if (array->b != nullptr && array->b->owner == array) array->b->owner = nullptr;
}

bool has_own_class(PyObject* value) {
  static const PyObject* const memmap = PyObject_GetAttrString(PyImport_AddModule("numpy"), "memmap");
  return !PyArray_CheckExact(value) && PyArray_Check(value) &&
         reinterpret_cast<PyObject*>(Py_TYPE(value)) != memmap && !is_local(value);
}

// What an assignment to `__class__` does, which Python allows only where both classes are its own. It is
// sound because objects of the two types differ in nothing else: the same layout, the same memory, no garbage
// collection. So the array keeps its flags, its base and its identity.
Ref adopt(PyObject* value) {
  if (PyArray_CheckExact(value)) {
    Py_INCREF(local_type);
    Py_SET_TYPE(value, local_type);
  }
  return Ref::borrow(value);
}

Ref share(PyObject* value) {
  return PyArray_Check(value) && !has_own_class(value) && !is_local(value) ? view_as(value, local_type)
                                                                           : Ref::borrow(value);
}

Ref plain(PyObject* local) { return view_as(local, &PyArray_Type); }

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
