// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/small/basic_view.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {
namespace {

constexpr int most_axes = 8;  // of arrays and of views that are looked at

// The shape of a view while its key is read.
struct Sketch {
  char* data = nullptr;
  int axes = 0;
  std::array<npy_intp, most_axes> extents, strides;  // as many as `axes`

  bool append(npy_intp extent, npy_intp stride) {
    if (axes == most_axes) return false;
    extents[static_cast<std::size_t>(axes)] = extent;
    strides[static_cast<std::size_t>(axes)] = stride;
    ++axes;
    return true;
  }
};

bool is_plain_bound(PyObject* bound) { return bound == Py_None || PyLong_CheckExact(bound); }

bool take_slice(PyObject* key, npy_intp extent, npy_intp stride, Sketch& view) {
  const auto* const slice = reinterpret_cast<PySliceObject*>(key);
  if (!is_plain_bound(slice->start) || !is_plain_bound(slice->stop) || !is_plain_bound(slice->step))
    return false;
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(key, &start, &stop, &step) < 0) {
    PyErr_Clear();  // a step of zero: NumPy says so
    return false;
  }
  const Py_ssize_t count = PySlice_AdjustIndices(extent, &start, &stop, step);
  if (count <= 0) return view.append(0, stride);  // as NumPy: it begins where the array does
  view.data += start * stride;
  return view.append(count, stride * step);
}

bool take_number(PyObject* key, npy_intp extent, npy_intp stride, Sketch& view) {
  int overflow = 0;
  npy_intp index = PyLong_AsLongLongAndOverflow(key, &overflow);
  if (index < 0) index += extent;
  if (overflow != 0 || index < 0 || index >= extent) return false;
  view.data += index * stride;
  return true;
}

// Reads the key; false for one that is NumPy's.
bool read_key(PyArrayObject* array, PyObject* const* items, Py_ssize_t count, Sketch& view) {
  const int axes = PyArray_NDIM(array);
  int used = 0, numbers = 0;
  bool has_ellipsis = false;
  for (Py_ssize_t place = 0; place < count; ++place) {
    if (items[place] == Py_Ellipsis) {
      if (has_ellipsis) return false;
      has_ellipsis = true;
    } else if (items[place] != Py_None) {
      ++used;
      numbers += PyLong_CheckExact(items[place]);
    }
  }
  const bool names_element = numbers == axes && count == axes;
  if (used > axes || names_element) return false;
  const int left_out = axes - used;
  int axis = 0;
  const auto take_whole = [&](int number) {
    for (const int end = axis + number; axis < end; ++axis) {
      if (!view.append(PyArray_DIM(array, axis), PyArray_STRIDE(array, axis))) return false;
    }
    return true;
  };
  view.data = PyArray_BYTES(array);
  for (Py_ssize_t place = 0; place < count; ++place) {
    PyObject* const item = items[place];
    bool is_read = false;
    if (PySlice_Check(item)) {
      is_read = take_slice(item, PyArray_DIM(array, axis), PyArray_STRIDE(array, axis), view);
      ++axis;
    } else if (PyLong_CheckExact(item)) {
      is_read = take_number(item, PyArray_DIM(array, axis), PyArray_STRIDE(array, axis), view);
      ++axis;
    } else if (item == Py_None) {
      is_read = view.append(1, 0);
    } else if (item == Py_Ellipsis) {
      is_read = take_whole(left_out);
    }
    if (!is_read) return false;
  }
  return has_ellipsis || take_whole(left_out);
}

bool read_key(PyArrayObject* array, PyObject* key, Sketch& view) {
  if (PyArray_NDIM(array) > most_axes) return false;
  if (!PyTuple_CheckExact(key)) return read_key(array, &key, 1, view);
  return read_key(array, reinterpret_cast<PyTupleObject*>(key)->ob_item, PyTuple_GET_SIZE(key), view);
}

// A plain NumPy array, without a base.
PyObject* array_of(PyArrayObject* array, Sketch& view) {
  Py_INCREF(PyArray_DESCR(array));
  return PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(array), view.axes, view.extents.data(),
                              view.strides.data(), view.data, PyArray_FLAGS(array) & ~NPY_ARRAY_OWNDATA,
                              nullptr);
}

}  // namespace

PyObject* basic_view(PyObject* object, PyObject* key) {
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  Sketch view;
  if (!read_key(array, key, view)) return nullptr;
  Ref result(array_of(array, view));
  if (!result) return nullptr;
  adopt(result.get());  // first: NumPy shortens a chain of bases among arrays of one class
  return PyArray_SetBaseObject(as_numpy(result), Py_NewRef(object)) < 0 ? nullptr : result.release();
}

int assign_to_basic_view(PyObject* object, PyObject* key, PyObject* value) {
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  Sketch view;
  if (!PyArray_ISWRITEABLE(array) || !read_key(array, key, view)) return 0;
  const Ref target(array_of(array, view));
  if (!target || PyArray_SetBaseObject(as_numpy(target), Py_NewRef(object)) < 0) return -1;
  auto* const source = reinterpret_cast<PyArrayObject*>(value);
  const bool is_array = PyArray_CheckExact(value) || is_local(value);
  const int done = is_array && PyArray_NDIM(source) <= view.axes
                       ? PyArray_CopyInto(as_numpy(target), source)
                       : PyArray_CopyObject(as_numpy(target), value);
  return done < 0 ? -1 : 1;
}

}  // namespace gamelan::kernel
