// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/subscripts.hpp"

#include <algorithm>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/elements.hpp"
#include "kernel/arrays/guarded.hpp"
#include "kernel/arrays/small/basic_view.hpp"
#include "kernel/arrays/small/plain_view.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

constinit Hook get_item_hook, set_item_hook;

namespace {

// True for a key whose result is an element or a view of the array itself.
bool is_basic(PyObject* key) {
  if (PyTuple_CheckExact(key)) {
    PyObject* const* const items = reinterpret_cast<PyTupleObject*>(key)->ob_item;
    return std::all_of(items, items + PyTuple_GET_SIZE(key),
                       [](PyObject* item) { return !PyTuple_Check(item) && is_basic(item); });
  }
  return (PyLong_Check(key) && !PyBool_Check(key)) || PySlice_Check(key) || key == Py_None ||
         key == Py_Ellipsis || PyArray_IsScalar(key, Integer);
}

// True for a key that is an array on the engines, or a tuple with one.
bool is_there(PyObject* key) {
  if (!PyTuple_CheckExact(key)) return is_distributed(key);
  PyObject* const* const items = reinterpret_cast<PyTupleObject*>(key)->ob_item;
  return std::any_of(items, items + PyTuple_GET_SIZE(key), is_distributed);
}

PyObject* get_item(PyObject* self, PyObject* key) {
  const UserCall lives;
  return PyObject_CallFunctionObjArgs(get_item_hook.get(), self, key, nullptr);
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  const UserCall lives;
  const Ref done(PyObject_CallFunctionObjArgs(set_item_hook.get(), self, key, value, nullptr));
  return done ? 0 : -1;
}

}  // namespace

PyObject* local_subscript(PyObject* self, PyObject* key) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(self)) == local_class() && !PyLong_CheckExact(key)) {
    PyObject* const view = basic_view(self, key);
    if (view != nullptr || PyErr_Occurred() != nullptr) return view;
  }
  if (is_basic(key)) return PyArray_Type.tp_as_mapping->mp_subscript(self, key);
  if (is_there(key)) return get_item(self, key);
  if (PyArray_Check(key)) {
    if (PyObject* const picked = guarded([&] { return picked_by_mask(self, key).release(); })) return picked;
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  if (!is_local(self)) return PyArray_Type.tp_as_mapping->mp_subscript(self, key);
  // Of a derived class NumPy would return a view of the elements that it has gathered.
  return guarded([&] {
    const PlainView data(self);
    return adopt_result(Ref::checked(PyArray_Type.tp_as_mapping->mp_subscript(data.get(), key)).get())
        .release();
  });
}

int local_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value != nullptr && (is_distributed(value) || is_there(key))) return set_item(self, key, value);
  if (value != nullptr && PyArray_Check(key)) {
    bool is_done = false;
    guarded([&]() -> PyObject* {
      is_done = assign_by_mask(self, key, value);
      return nullptr;
    });
    if (is_done) return 0;
    if (PyErr_Occurred() != nullptr) return -1;
  }
  if (value != nullptr && is_local(self) && !PyLong_CheckExact(key)) {
    if (const int done = assign_to_basic_view(self, key, value); done != 0) return done < 0 ? -1 : 0;
  }
  return PyArray_Type.tp_as_mapping->mp_ass_subscript(self, key, value);
}

PyObject* array_subscript(PyObject* self, PyObject* key) {
  if (as_array(self)->b != nullptr) {
    PyObject* const known = guarded([&] { return known_element(as_array(self), key).release(); });
    return known != nullptr || PyErr_Occurred() != nullptr ? known : get_item(self, key);
  }
  return PyObject_GetItem(as_array(self)->a, key);
}

// Without this slot NumPy would not take an array for a sequence, as in numpy.array([ours, ours]).
PyObject* array_item(PyObject* self, Py_ssize_t index) {
  const Ref key(PyLong_FromSsize_t(index));
  return key ? array_subscript(self, key.get()) : nullptr;
}

int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  if (as_array(self)->b != nullptr) return set_item(self, key, value);
  return PyObject_SetItem(as_array(self)->a, key, value);
}

}  // namespace gamelan::kernel
