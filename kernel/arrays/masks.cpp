// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/subscripts.hpp"

#include <cstddef>
#include <optional>

#include "kernel/arrays/array_object.hpp"
#include "kernel/local/selection.hpp"

namespace gamelan::kernel {
namespace {

// Elements: with fewer, what is asked here costs more than NumPy's branches.
constexpr npy_intp fewest = 1024;

PyArrayObject* as_plain(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

bool is_plain_or_small(PyObject* object) {
  return PyArray_CheckExact(object) || Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(local_class());
}

std::size_t item_of(PyArrayObject* array) { return static_cast<std::size_t>(PyArray_ITEMSIZE(array)); }

/// In C order, with elements that can be moved byte by byte.
bool is_known(PyArrayObject* array) {
  return PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) &&
         !PyDataType_REFCHK(PyArray_DESCR(array)) && is_known_item(item_of(array));
}

bool is_mask_of(PyObject* mask, PyArrayObject* array) {
  if (!is_plain_or_small(mask) || PyArray_TYPE(as_plain(mask)) != NPY_BOOL ||
      !PyArray_IS_C_CONTIGUOUS(as_plain(mask)))
    return false;
  return PyArray_NDIM(array) > 0 && PyArray_SIZE(array) >= fewest && PyArray_SAMESHAPE(array, as_plain(mask));
}

const std::uint8_t* bytes_of(PyObject* mask) {
  return static_cast<const std::uint8_t*>(PyArray_DATA(as_plain(mask)));
}

bool overlap(PyArrayObject* left, PyArrayObject* right) {
  const char *first = PyArray_BYTES(left), *second = PyArray_BYTES(right);
  return first < second + PyArray_NBYTES(right) && second < first + PyArray_NBYTES(left);
}

Ref new_like(PyArrayObject* array, int dims, const npy_intp* extents) {
  PyArray_Descr* const type = PyArray_DESCR(array);
  Py_INCREF(type);
  return Ref::checked(PyArray_NewFromDescr(&PyArray_Type, type, dims, extents, nullptr, nullptr, 0, nullptr));
}

/// A number as NumPy stores it in such an array; empty for what is no number, or an array.
Ref as_element(PyArrayObject* array, PyObject* value) {
  const bool is_number = PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
                         PyComplex_CheckExact(value) || PyArray_IsScalar(value, Number) ||
                         PyArray_IsScalar(value, Bool);
  if (!is_number) return {};
  Ref element = new_like(array, 0, nullptr);
  if (PyArray_CopyObject(as_numpy(element), value) < 0) throw PythonError();
  return element;
}

/// What numpy.where takes for one of its choices: an array like `model`, or a number that does not change the
/// result's dtype.
std::optional<Choice> choice_of(PyArrayObject* model, PyObject* value, Ref& keeps) {
  if (is_plain_or_small(value)) {
    auto* const array = as_plain(value);
    if (!is_known(array) || !PyArray_SAMESHAPE(array, model) ||
        !PyArray_EquivTypes(PyArray_DESCR(array), PyArray_DESCR(model)))
      return std::nullopt;
    return Choice{PyArray_DATA(array), false};
  }
  const int type = PyArray_TYPE(model);
  int overflow = 0;
  if (PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &overflow);
  const bool fits = overflow != 0        ? false
                    : type == NPY_DOUBLE ? PyFloat_CheckExact(value) || PyLong_CheckExact(value)
                                         : type == NPY_INT64 && PyLong_CheckExact(value);
  if (!fits) return std::nullopt;
  keeps = as_element(model, value);
  return Choice{PyArray_DATA(as_numpy(keeps)), true};
}

}  // namespace

Ref picked_by_mask(PyObject* array, PyObject* mask) {
  if (!is_plain_or_small(array) || !is_plain_or_small(mask)) return {};
  auto* const from = as_plain(array);
  if (!is_mask_of(mask, from) || !is_known(from)) return {};
  const npy_intp picked = count_true(bytes_of(mask), PyArray_SIZE(from));
  Ref result = new_like(from, 1, &picked);
  compress(item_of(from), PyArray_DATA(from), bytes_of(mask), PyArray_DATA(as_numpy(result)), picked);
  return adopt(result.get());
}

bool assign_by_mask(PyObject* array, PyObject* mask, PyObject* value) {
  if (!is_plain_or_small(array) || !is_plain_or_small(mask) || value == nullptr) return false;
  auto* const to = as_plain(array);
  if (!is_mask_of(mask, to) || !is_known(to) || !PyArray_ISWRITEABLE(to) || overlap(to, as_plain(mask)))
    return false;
  if (!is_plain_or_small(value)) {
    const Ref element = as_element(to, value);
    if (!element) return false;
    fill(item_of(to), PyArray_DATA(as_numpy(element)), bytes_of(mask), PyArray_DATA(to), PyArray_SIZE(to));
    return true;
  }
  auto* const values = as_plain(value);
  if (PyArray_NDIM(values) != 1 || !is_known(values) || overlap(to, values) ||
      !PyArray_EquivTypes(PyArray_DESCR(values), PyArray_DESCR(to)))
    return false;
  const npy_intp picked = count_true(bytes_of(mask), PyArray_SIZE(to));
  if (picked != PyArray_SIZE(values)) return false;  // NumPy says so, or repeats a single one
  expand(item_of(to), PyArray_DATA(values), bytes_of(mask), PyArray_DATA(to), picked);
  return true;
}

Ref chosen_by_mask(PyObject* mask, PyObject* yes, PyObject* no) {
  PyObject* const model = is_plain_or_small(yes) ? yes : no;
  if (!is_plain_or_small(model)) return {};
  auto* const like = as_plain(model);
  if (!is_mask_of(mask, like) || !is_known(like) || !PyArray_ISNOTSWAPPED(like)) return {};
  Ref keeps_yes, keeps_no;
  const auto if_true = choice_of(like, yes, keeps_yes), if_false = choice_of(like, no, keeps_no);
  if (!if_true || !if_false) return {};
  Ref result = new_like(like, PyArray_NDIM(like), PyArray_DIMS(like));
  choose(item_of(like), bytes_of(mask), *if_true, *if_false, PyArray_DATA(as_numpy(result)),
         PyArray_SIZE(like));
  return result;
}

}  // namespace gamelan::kernel
