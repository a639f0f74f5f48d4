// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/subscripts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/arrays/array_object.hpp"
#include "kernel/local/selection.hpp"

namespace gamelan::kernel {
namespace {

constexpr npy_intp long_loop = npy_intp{1} << 18;  // elements: other threads of Python's run meanwhile

PyArrayObject* as_plain(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

bool is_plain_or_small(PyObject* object) {
  return PyArray_CheckExact(object) || Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(local_class());
}

std::size_t item_of(PyArrayObject* array) { return static_cast<std::size_t>(PyArray_ITEMSIZE(array)); }

/// In C order, with elements that can be moved as numbers of their size.
bool is_known(PyArrayObject* array) {
  if (!PyArray_IS_C_CONTIGUOUS(array) || PyDataType_REFCHK(PyArray_DESCR(array)) ||
      !is_known_item(item_of(array)))
    return false;
  return reinterpret_cast<std::uintptr_t>(PyArray_DATA(array)) % std::min<std::size_t>(item_of(array), 8) ==
         0;
}

template <class Loop>
void run(npy_intp elements, Loop loop) {
  if (elements < long_loop) return loop();
  Py_BEGIN_ALLOW_THREADS;
  loop();
  Py_END_ALLOW_THREADS;
}

bool is_mask_of(PyObject* mask, PyArrayObject* array) {
  if (!is_plain_or_small(mask) || PyArray_TYPE(as_plain(mask)) != NPY_BOOL ||
      !PyArray_IS_C_CONTIGUOUS(as_plain(mask)))
    return false;
  return PyArray_NDIM(array) > 0 && PyArray_SIZE(array) >= least_of_a_mask &&
         PyArray_SAMESHAPE(array, as_plain(mask));
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

/// A number of Python's, or one of NumPy's that has the array's dtype, as NumPy stores it in such an array;
/// empty for anything else, of which NumPy casts much in ways of its own.
Ref as_element(PyArrayObject* array, PyObject* value) {
  bool is_known_number = PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
                         PyComplex_CheckExact(value);
  if (!is_known_number && (PyArray_IsScalar(value, Number) || PyArray_IsScalar(value, Bool))) {
    PyArray_Descr* const type = PyArray_DescrFromScalar(value);
    if (type == nullptr) throw PythonError();
    is_known_number = type->type_num == PyArray_TYPE(array) && PyTypeNum_ISNUMBER(type->type_num);
    Py_DECREF(type);
  }
  if (!is_known_number) return {};
  Ref element = new_like(array, 0, nullptr);
  if (PyArray_CopyObject(as_numpy(element), value) < 0) throw PythonError();
  return element;
}

/// What numpy.where takes for one of its choices: an array like `model`, or a number that does not change the
/// result's dtype.
std::optional<Choice> choice_of(PyArrayObject* model, PyObject* value, Ref& keeps) {
  if (is_plain_or_small(value)) {
    auto* const array = as_plain(value);
    if (!is_known(array) || !PyArray_SAMESHAPE(array, model) || PyArray_TYPE(array) != PyArray_TYPE(model) ||
        !PyArray_ISNOTSWAPPED(array))
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
  if (!is_plain_or_small(array)) return {};
  auto* const from = as_plain(array);
  if (!is_mask_of(mask, from) || !is_known(from)) return {};
  const npy_intp picked = count_true(bytes_of(mask), PyArray_SIZE(from));
  Ref result = new_like(from, 1, &picked);
  run(PyArray_SIZE(from), [&] {
    compress(item_of(from), PyArray_DATA(from), bytes_of(mask), PyArray_SIZE(from),
             PyArray_DATA(as_numpy(result)), picked);
  });
  return adopt(result.get());
}

bool assign_by_mask(PyObject* array, PyObject* mask, PyObject* value) {
  if (!is_plain_or_small(array)) return false;
  auto* const to = as_plain(array);
  if (!is_mask_of(mask, to) || !is_known(to) || !PyArray_ISWRITEABLE(to) || overlap(to, as_plain(mask)))
    return false;
  if (!is_plain_or_small(value)) {
    const Ref element = as_element(to, value);
    if (!element) return false;
    run(PyArray_SIZE(to), [&] {
      fill(item_of(to), PyArray_DATA(as_numpy(element)), bytes_of(mask), PyArray_SIZE(to), PyArray_DATA(to));
    });
    return true;
  }
  auto* const values = as_plain(value);
  if (PyArray_NDIM(values) != 1 || !is_known(values) || overlap(to, values) ||
      !PyArray_EquivTypes(PyArray_DESCR(values), PyArray_DESCR(to)))
    return false;
  const npy_intp picked = count_true(bytes_of(mask), PyArray_SIZE(to));
  if (picked != PyArray_SIZE(values)) return false;  // NumPy says so, or repeats a single one
  run(PyArray_SIZE(to), [&] {
    expand(item_of(to), PyArray_DATA(values), picked, bytes_of(mask), PyArray_SIZE(to), PyArray_DATA(to));
  });
  return true;
}

Ref chosen_by_mask(PyObject* mask, PyObject* yes, PyObject* no) {
  PyObject* const model = is_plain_or_small(yes) ? yes : no;
  if (!is_plain_or_small(model)) return {};
  auto* const like = as_plain(model);
  const int type = PyArray_TYPE(like);
  const bool is_number = PyTypeNum_ISNUMBER(type) || type == NPY_BOOL;
  if (!is_number || !is_mask_of(mask, like) || !is_known(like) || !PyArray_ISNOTSWAPPED(like)) return {};
  Ref keeps_yes, keeps_no;
  const auto if_true = choice_of(like, yes, keeps_yes), if_false = choice_of(like, no, keeps_no);
  if (!if_true || !if_false) return {};
  // Without what an array's dtype may carry along.
  Ref result = Ref::checked(PyArray_SimpleNew(PyArray_NDIM(like), PyArray_DIMS(like), type));
  run(PyArray_SIZE(like), [&] {
    choose(item_of(like), bytes_of(mask), *if_true, *if_false, PyArray_DATA(as_numpy(result)),
           PyArray_SIZE(like));
  });
  return result;
}

}  // namespace gamelan::kernel
