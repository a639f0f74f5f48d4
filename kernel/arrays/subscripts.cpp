// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/subscripts.hpp"

#include "kernel/arrays/array_object.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

constinit Hook get_item_hook, set_item_hook;

namespace {

// The key with NumPy's arrays in place of ours. NumPy turns other objects without elements into integers, so
// an empty mask would become an empty index.
Ref key_for_numpy(PyObject* key) {
  if (is_array(key)) return Ref::borrow(as_array(key)->b == nullptr ? as_array(key)->a : key);
  if (!PyTuple_CheckExact(key)) return Ref::borrow(key);
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  Py_ssize_t place = 0;
  while (place < count && !is_array(PyTuple_GET_ITEM(key, place))) ++place;
  if (place == count) return Ref::borrow(key);
  Ref plain(PyTuple_New(count));
  for (place = 0; plain && place < count; ++place) {
    PyTuple_SET_ITEM(plain.get(), place, key_for_numpy(PyTuple_GET_ITEM(key, place)).release());
  }
  return plain;
}

}  // namespace

Ref wrap_derived(Array* array, PyObject* derived) {
  Ref result = wrap(derived);
  if (!is_array(result.get())) return result;
  PyObject* const base = PyArray_BASE(reinterpret_cast<PyArrayObject*>(derived));
  PyObject* const owner = array->value == nullptr ? reinterpret_cast<PyObject*>(array) : array->value;
  if (base != nullptr && base == as_array(owner)->a) as_array(result.get())->value = Py_NewRef(owner);
  return result;
}

PyObject* array_subscript(PyObject* self, PyObject* key) {
  auto* array = as_array(self);
  const bool is_key_distributed = is_array(key) && as_array(key)->b != nullptr;
  if (array->b != nullptr || is_key_distributed) {
    const UserCall lives;
    return PyObject_CallFunctionObjArgs(get_item_hook.get(), self, key, nullptr);
  }
  const Ref plain = key_for_numpy(key);
  PyObject* result = plain ? PyObject_GetItem(array->a, plain.get()) : nullptr;
  if (result == nullptr || !PyArray_Check(result)) return result;
  try {
    return wrap_derived(array, Ref(result).get()).release();
  } catch (const PythonError&) {
    return nullptr;
  }
}

// Without this slot NumPy would not take an array for a sequence, as in numpy.array([ours, ours]).
PyObject* array_item(PyObject* self, Py_ssize_t index) {
  const Ref key(PyLong_FromSsize_t(index));
  return key ? array_subscript(self, key.get()) : nullptr;
}

int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  auto* array = as_array(self);
  if (value == nullptr) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  const bool is_here = !is_array(value) || as_array(value)->b == nullptr;
  if (array->b == nullptr && is_here) {
    const Ref plain = key_for_numpy(key);
    return plain ? PyObject_SetItem(array->a, plain.get(), is_array(value) ? as_array(value)->a : value) : -1;
  }
  const UserCall lives;
  const Ref done(PyObject_CallFunctionObjArgs(set_item_hook.get(), self, key, value, nullptr));
  return done ? 0 : -1;
}

}  // namespace gamelan::kernel
