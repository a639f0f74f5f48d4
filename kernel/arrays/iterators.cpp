// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/iterators.hpp"

#include "kernel/arrays/guarded.hpp"

namespace gamelan::kernel {

namespace {

struct ElementIterator {
  PyObject_HEAD PyObject* array;
  PyObject* chunk;     // where elements come from
  PyObject* elements;  // the chunk that was fetched, null when there is none
  Base* base;          // borrowed, for comparison only: the array's when they came, which had `version`
  std::uint64_t version;
  Py_ssize_t place;  // of the next element in the array
  npy_intp used;     // how many elements of the chunk
};

ElementIterator* as_iterator(PyObject* self) { return reinterpret_cast<ElementIterator*>(self); }

bool is_written(const ElementIterator* iterator) {
  const Base* base = as_array(iterator->array)->b;
  return base != iterator->base || (base != nullptr && base->version != iterator->version);
}

/// Fetches the elements from the place on; none at the end. Returns false when another thread has used the
/// iterator meanwhile and has fetched its own.
bool fetch_chunk(ElementIterator* iterator) {
  const bool is_new = iterator->elements != nullptr && is_written(iterator);
  Base* const base = as_array(iterator->array)->b;
  const std::uint64_t version = base == nullptr ? 0 : base->version;
  const Py_ssize_t place = iterator->place;
  Ref elements =
      Ref::checked(PyObject_CallFunction(iterator->chunk, "nO", place, is_new ? Py_True : Py_False));
  if (elements.get() != Py_None &&
      !(PyArray_Check(elements.get()) && PyArray_NDIM(as_numpy(elements)) == 1)) {
    PyErr_SetString(PyExc_TypeError, "expected a row of elements");
    throw PythonError();
  }
  if (iterator->place != place) return false;
  iterator->base = base;
  iterator->version = version;
  iterator->used = 0;
  const bool is_end = elements.get() == Py_None || PyArray_SIZE(as_numpy(elements)) == 0;
  Py_XSETREF(iterator->elements, is_end ? nullptr : elements.release());
  return true;
}

bool has_next(const ElementIterator* iterator) {
  return iterator->elements != nullptr &&
         iterator->used < PyArray_DIM(reinterpret_cast<PyArrayObject*>(iterator->elements), 0) &&
         !is_written(iterator);
}

PyObject* next(PyObject* self) {
  auto* iterator = as_iterator(self);
  return guarded([&]() -> PyObject* {
    while (!has_next(iterator) && !fetch_chunk(iterator)) {
    }
    if (iterator->elements == nullptr) return nullptr;
    auto* elements = reinterpret_cast<PyArrayObject*>(iterator->elements);
    PyObject* element = PyArray_Scalar(PyArray_GETPTR1(elements, iterator->used), PyArray_DESCR(elements),
                                       iterator->elements);
    ++iterator->used;
    ++iterator->place;
    return element;
  });
}

PyObject* new_iterator(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject *array = nullptr, *chunk = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &array, &chunk)) return nullptr;
  if (!is_distributed(array)) {
    PyErr_SetString(PyExc_TypeError, "expected a distributed array");
    return nullptr;
  }
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as_iterator(self)->array = Py_NewRef(array);
  as_iterator(self)->chunk = Py_NewRef(chunk);
  return self;
}

void dealloc_iterator(PyObject* self) {
  auto* iterator = as_iterator(self);
  Py_XDECREF(iterator->array);
  Py_XDECREF(iterator->chunk);
  Py_XDECREF(iterator->elements);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot iterator_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_iterator)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_iterator)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next)},
    {Py_tp_doc,
     const_cast<char*>("ElementIterator(array, chunk): the elements, each as it is when it is asked for.")},
    {0, nullptr}};
PyType_Spec iterator_spec = {"gamelan._core.ElementIterator", sizeof(ElementIterator), 0, Py_TPFLAGS_DEFAULT,
                             iterator_slots};

}  // namespace

void add_iterator_type(PyObject* module) {
  Ref type = Ref::checked(PyType_FromSpec(&iterator_spec));
  if (PyModule_AddObjectRef(module, "ElementIterator", type.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
