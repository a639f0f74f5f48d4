// SPDX-License-Identifier: BSD-3-Clause
// fold_of_short_rows: see short_rows.hpp.
#include "kernel/arrays/small/short_rows.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/known_numbers.hpp"
#include "kernel/local/row_folds.hpp"

namespace gamelan::kernel {
namespace {

static_assert(longest_short_row <= static_cast<npy_intp>(longest_folded_row));

double begin_of_sums = 0.0;

struct Named {
  const char* name;
  npy_intp longest_row;         // of longer ones NumPy's loop is as fast
  std::optional<RowFold> fold;  // none: the place of the largest, or smallest
  bool wants_largest = false;
};
constexpr Named known[] = {{"sum", longest_short_row, RowFold::sum},
                           {"mean", longest_short_row, RowFold::mean},
                           {"max", 32, RowFold::max},
                           {"min", 32, RowFold::min},
                           {"argmax", 16, std::nullopt, true},
                           {"argmin", 16, std::nullopt, false}};

/// A number given for an axis, from the first; none for another object.
std::optional<long> axis_of(PyObject* axis, int dims) {
  if (axis == nullptr || !PyLong_CheckExact(axis)) return std::nullopt;
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(axis, &overflow);
  if (overflow != 0) return std::nullopt;
  return number < 0 ? number + dims : number;
}

/// The rows along the last axis, if they are equally far apart; none where they overlap, or are long.
template <class Number>
std::optional<FoldedRows<Number>> rows_of(PyArrayObject* array, npy_intp longest) {
  constexpr auto item = static_cast<npy_intp>(sizeof(Number));
  const int last = PyArray_NDIM(array) - 1;
  const npy_intp length = PyArray_DIM(array, last);
  if (length < 2 || length > longest || PyArray_STRIDE(array, last) != item) return std::nullopt;
  const npy_intp step = PyArray_STRIDE(array, last - 1);
  if (step < length * item || step % item != 0) return std::nullopt;
  for (int axis = last - 1; axis > 0; --axis)
    if (PyArray_STRIDE(array, axis - 1) != PyArray_STRIDE(array, axis) * PyArray_DIM(array, axis))
      return std::nullopt;
  return FoldedRows<Number>{static_cast<const Number*>(PyArray_DATA(array)), step / item,
                            static_cast<std::size_t>(PyArray_SIZE(array) / length),
                            static_cast<std::size_t>(length)};
}

template <class Number>
Ref fold(const Named& named, PyArrayObject* array, bool is_along_rows, bool keeps_axis) {
  const auto rows = rows_of<Number>(array, named.longest_row);
  if (!rows) return {};
  const int dims = PyArray_NDIM(array);
  std::array<npy_intp, NPY_MAXDIMS> extents;
  std::copy_n(PyArray_DIMS(array), dims, extents.data());
  extents[is_along_rows ? static_cast<std::size_t>(dims - 1) : 0] = 1;
  const bool drops_first = !is_along_rows && !keeps_axis;
  Ref result = Ref::checked(PyArray_SimpleNew(keeps_axis ? dims : dims - 1, extents.data() + drops_first,
                                              named.fold ? PyArray_TYPE(array) : NPY_INTP));
  void* const first = PyArray_DATA(as_numpy(result));
  const auto zero = static_cast<Number>(begin_of_sums);
  const bool is_done =
      !is_along_rows ? sum_over_rows(named.fold == RowFold::mean, *rows, zero, static_cast<Number*>(first))
      : named.fold   ? fold_rows(*named.fold, *rows, zero, static_cast<Number*>(first))
                     : find_in_rows(named.wants_largest, *rows, static_cast<std::int64_t*>(first));
  return is_done ? std::move(result) : Ref();
}

}  // namespace

void set_begin_of_sums(double zero) { begin_of_sums = zero; }

int row_fold_named(const char* name) {
  for (std::size_t k = 0; k < std::size(known); ++k)
    if (std::strcmp(known[k].name, name) == 0) return static_cast<int>(k);
  return -1;
}

Ref fold_of_short_rows(int number, PyObject* object, PyObject* axis, PyObject* keepdims) {
  PyArrayObject* const doubles = array_of<NPY_DOUBLE>(object);
  PyArrayObject* const floats = doubles == nullptr ? array_of<NPY_FLOAT>(object) : nullptr;
  PyArrayObject* const array = doubles == nullptr ? floats : doubles;
  if (array == nullptr || PyArray_NDIM(array) < 2 || PyArray_SIZE(array) < least_of_rows) return {};
  if (PyArray_SIZE(array) >= threshold()) return {};
  const Named& named = known[number];
  const int dims = PyArray_NDIM(array);
  const auto along = axis_of(axis, dims);
  const bool is_along_rows = along == dims - 1;
  const bool is_over_rows =
      along == 0 && dims == 2 && (named.fold == RowFold::sum || named.fold == RowFold::mean);
  if (!is_along_rows && !is_over_rows) return {};
  if (keepdims != nullptr && !PyBool_Check(keepdims)) return {};
  const bool keeps_axis = keepdims == Py_True;
  return doubles != nullptr ? fold<double>(named, array, is_along_rows, keeps_axis)
                            : fold<float>(named, array, is_along_rows, keeps_axis);
}

Ref fold_of_short_rows(int number, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  if (count < 1 || count > 2 || count + static_cast<std::size_t>(named) > 3) return {};
  PyObject *axis = count == 2 ? arguments[1] : nullptr, *keepdims = nullptr;
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const name = PyTuple_GET_ITEM(keywords, k);
    PyObject* const value = arguments[count + static_cast<std::size_t>(k)];
    if (count == 1 && PyUnicode_CompareWithASCIIString(name, "axis") == 0)
      axis = value;
    else if (PyUnicode_CompareWithASCIIString(name, "keepdims") == 0)
      keepdims = value;
    else
      return {};
  }
  return fold_of_short_rows(number, arguments[0], axis, keepdims);
}

}  // namespace gamelan::kernel
