// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

namespace {

PyTypeObject* base_type = nullptr;
PyTypeObject* array_type = nullptr;     // _core.Array
PyTypeObject* array_class = nullptr;    // the Python class of distributed arrays, once it is registered
PyTypeObject* local_type = nullptr;     // gamelan.ndarray
PyTypeObject* standard_type = nullptr;  // gamelan.array_api.Array, once it is registered

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

void set_standard_class(PyTypeObject* type) {
  Py_INCREF(type);
  standard_type = type;
}

PyObject* local_class() { return reinterpret_cast<PyObject*>(local_type); }

PyObject* new_base() { return base_type->tp_alloc(base_type, 0); }

// Of no class derived from it but our own: other such arrays are to us what those of any class of a user's
// are.
bool is_local(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return type == local_type || type == standard_type;
}

bool is_distributed(PyObject* object) {
  return (Py_TYPE(object) == array_class || PyType_IsSubtype(Py_TYPE(object), array_type)) &&
         as_array(object)->b != nullptr;
}

bool is_array(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return type == array_class || is_local(object) || PyType_IsSubtype(type, array_type);
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

Ref adopt_result(PyObject* value) { return Py_REFCNT(value) == 1 ? adopt(value) : Ref::borrow(value); }

PyObject* root_of(PyObject* array) {
  for (;;) {
    auto* const data = reinterpret_cast<PyArrayObject*>(array);
    PyObject* const base = PyArray_BASE(data);
    if (PyArray_CHKFLAGS(data, NPY_ARRAY_OWNDATA) || base == nullptr ||
        !(PyArray_CheckExact(base) || is_local(base)))
      return array;
    array = base;
  }
}

// NumPy shortens a chain of bases only among arrays of one class. The view is told its root at once, or a
// loop that takes views of views in both classes would make a chain without end.
Ref plain(PyObject* local) {
  auto* const array = reinterpret_cast<PyArrayObject*>(local);
  PyArray_Descr* const descr = PyArray_DESCR(array);
  Py_INCREF(descr);
  Ref view = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(array), PyArray_DIMS(array),
                                               PyArray_STRIDES(array), PyArray_DATA(array),
                                               PyArray_FLAGS(array) & ~NPY_ARRAY_OWNDATA, nullptr));
  if (PyArray_SetBaseObject(as_numpy(view), Ref::borrow(root_of(local)).release()) < 0) throw PythonError();
  return view;
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
