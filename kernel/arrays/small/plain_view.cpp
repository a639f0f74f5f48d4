// SPDX-License-Identifier: BSD-3-Clause
// See plain_view.hpp. The fields of an array are written here, and nowhere else: NumPy's functions can set
// them of new arrays only.
#include "kernel/arrays/small/plain_view.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gamelan::kernel {
namespace {

constexpr std::size_t most_axes = 4;   // of an array whose view is used again
constexpr std::size_t most_spare = 8;  // of each number of axes

PyArrayObject_fields* fields_of(PyObject* array) { return reinterpret_cast<PyArrayObject_fields*>(array); }

// Views that nobody uses, by the number of their axes: memory for extents and strides belongs to each.
class Spares {
 public:
  PyObject* take(std::size_t axes) {
    Shelf& shelf = shelves_[axes];
    return shelf.count == 0 ? nullptr : shelf.views[--shelf.count];
  }
  bool put(PyObject* view, std::size_t axes) {
    Shelf& shelf = shelves_[axes];
    if (shelf.count == most_spare) return false;
    shelf.views[shelf.count++] = view;
    return true;
  }

 private:
  struct Shelf {
    std::array<PyObject*, most_spare> views{};
    std::size_t count = 0;
  };
  std::array<Shelf, most_axes + 1> shelves_;
};
constinit Spares spares;  // never released: Python ends before statics are destroyed

// Nobody has it, and it is what it was: a view, of numbers, which refer to nothing.
bool is_usable_again(PyObject* view) {
  auto* const array = reinterpret_cast<PyArrayObject*>(view);
  return Py_REFCNT(view) == 1 && PyArray_CheckExact(view) && fields_of(view)->weakreflist == nullptr &&
         PyArray_NDIM(array) <= static_cast<int>(most_axes) && PyArray_TYPE(array) <= NPY_CLONGDOUBLE &&
         (PyArray_FLAGS(array) & (NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEBACKIFCOPY)) == 0;
}

}  // namespace

PlainView::PlainView(PyObject* local) {
  auto* const array = reinterpret_cast<PyArrayObject*>(local);
  const auto axes = static_cast<std::size_t>(PyArray_NDIM(array));
  view_ = axes <= most_axes ? spares.take(axes) : nullptr;
  if (view_ == nullptr) {
    view_ = plain(local).release();
    return;
  }
  auto* const fields = fields_of(view_);
  fields->data = PyArray_BYTES(array);
  std::copy_n(PyArray_DIMS(array), axes, fields->dimensions);
  std::copy_n(PyArray_STRIDES(array), axes, fields->strides);
  fields->base = Py_NewRef(root_of(local));
  fields->flags = PyArray_FLAGS(array) & ~NPY_ARRAY_OWNDATA;
  if (fields->descr == PyArray_DESCR(array)) return;
  Py_INCREF(PyArray_DESCR(array));
  Py_SETREF(fields->descr, PyArray_DESCR(array));
}

void PlainView::give_back(PyObject* view) noexcept {
  if (!is_usable_again(view)) {
    Py_DECREF(view);
    return;
  }
  auto* const fields = fields_of(view);
  PyObject* const base = fields->base;
  fields->base = nullptr;
  if (!spares.put(view, static_cast<std::size_t>(fields->nd))) Py_DECREF(view);
  Py_XDECREF(base);
}

}  // namespace gamelan::kernel
