// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/iterators.hpp"

#include "kernel/arrays/guarded.hpp"

namespace gamelan::kernel {

namespace {

struct Turns {
  PyObject_HEAD PyObject* array;
  PyObject* chunk;     // where elements come from
  PyObject* elements;  // those at hand, null when there are none
  Base* base;          // borrowed, for comparison only: the array's when they came, which had `version`
  std::uint64_t version;
  Py_ssize_t place;  // of the next element in the array
  npy_intp used;     // of the elements at hand
};

Turns* as_turns(PyObject* self) { return reinterpret_cast<Turns*>(self); }

bool is_written(const Turns* turns) {
  const Base* base = as_array(turns->array)->b;
  return base != turns->base || (base != nullptr && base->version != turns->version);
}

/// Elements from the place on; none at the end. False when another thread has taken turns meanwhile: it has
/// brought its own.
bool bring(Turns* turns) {
  const bool is_new = turns->elements != nullptr && is_written(turns);
  Base* const base = as_array(turns->array)->b;
  const std::uint64_t version = base == nullptr ? 0 : base->version;
  const Py_ssize_t place = turns->place;
  Ref elements = Ref::checked(PyObject_CallFunction(turns->chunk, "nO", place, is_new ? Py_True : Py_False));
  if (elements.get() != Py_None && !(PyArray_Check(elements.get()) && PyArray_NDIM(elements.array()) == 1)) {
    PyErr_SetString(PyExc_TypeError, "expected a row of elements");
    throw PythonError();
  }
  if (turns->place != place) return false;
  turns->base = base;
  turns->version = version;
  turns->used = 0;
  const bool is_end = elements.get() == Py_None || PyArray_SIZE(elements.array()) == 0;
  Py_XSETREF(turns->elements, is_end ? nullptr : elements.release());
  return true;
}

bool has_next(const Turns* turns) {
  return turns->elements != nullptr &&
         turns->used < PyArray_DIM(reinterpret_cast<PyArrayObject*>(turns->elements), 0) &&
         !is_written(turns);
}

PyObject* next(PyObject* self) {
  auto* turns = as_turns(self);
  return guarded([&]() -> PyObject* {
    while (!has_next(turns) && !bring(turns)) {
    }
    if (turns->elements == nullptr) return nullptr;
    auto* elements = reinterpret_cast<PyArrayObject*>(turns->elements);
    PyObject* element =
        PyArray_Scalar(PyArray_GETPTR1(elements, turns->used), PyArray_DESCR(elements), turns->elements);
    ++turns->used;
    ++turns->place;
    return element;
  });
}

PyObject* new_turns(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject *array = nullptr, *chunk = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &array, &chunk)) return nullptr;
  if (!is_array(array)) {
    PyErr_SetString(PyExc_TypeError, "expected an array of gamelan");
    return nullptr;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as_turns(self)->array = Py_NewRef(array);
  as_turns(self)->chunk = Py_NewRef(chunk);
  return self;
}

void dealloc_turns(PyObject* self) {
  auto* turns = as_turns(self);
  Py_XDECREF(turns->array);
  Py_XDECREF(turns->chunk);
  Py_XDECREF(turns->elements);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot turns_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_turns)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_turns)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next)},
    {Py_tp_doc, const_cast<char*>("Turns(array, chunk): the elements, each as it is in its turn.")},
    {0, nullptr}};
PyType_Spec turns_spec = {"gamelan._core.Turns", sizeof(Turns), 0, Py_TPFLAGS_DEFAULT, turns_slots};

}  // namespace

void add_turns(PyObject* module) {
  Ref type = Ref::checked(PyType_FromSpec(&turns_spec));
  if (PyModule_AddObjectRef(module, "Turns", type.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
