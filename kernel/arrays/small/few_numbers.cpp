// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/small/few_numbers.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/known_numbers.hpp"
#include "kernel/local/arithmetic.hpp"

namespace gamelan::kernel {
namespace {

using protocol::Op;

constexpr npy_intp most_elements = 1024;  // of more, NumPy's wider vectors make up for the way

// An array of few numbers of float64 in C order; null for anything else.
PyArrayObject* few(PyObject* object) {
  PyArrayObject* const array = array_of<NPY_DOUBLE>(object);
  const bool suits = array != nullptr && PyArray_ISCARRAY_RO(array) && PyArray_NDIM(array) > 0 &&
                     PyArray_SIZE(array) <= most_elements;
  return suits ? array : nullptr;
}

// A number that is this one as a float64: Python's, or NumPy's float64, which is one of Python's.
std::optional<double> number(PyObject* object) {
  if (PyFloat_CheckExact(object) || Py_TYPE(object) == &PyDoubleArrType_Type)
    return PyFloat_AS_DOUBLE(object);
  if (!PyLong_CheckExact(object)) return {};
  constexpr long long exact = 1LL << 53;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0 || value < -exact || value > exact) return {};
  return static_cast<double>(value);
}

}  // namespace

Ref of_few_numbers(Op op, std::span<PyObject* const> operands, PyObject* out) {
  const auto what = arithmetic_of(op);
  if (!what || operands.size() != 2) return {};
  PyArrayObject* const left = few(operands[0]);
  PyArrayObject* const right = few(operands[1]);
  PyArrayObject* const like = left != nullptr ? left : right;
  if (like == nullptr || PyArray_SIZE(like) >= threshold()) return {};
  if (left != nullptr && right != nullptr && !PyArray_SAMESHAPE(left, right)) return {};
  const auto one =
      left != nullptr && right != nullptr ? std::optional(0.0) : number(operands[left == nullptr ? 0 : 1]);
  if (!one) return {};
  const auto numbers = [&](PyArrayObject* array) {
    return array == nullptr ? Numbers{&*one, true}
                            : Numbers{static_cast<const double*>(PyArray_DATA(array)), false};
  };
  const auto count = static_cast<std::size_t>(PyArray_SIZE(like));
  if (out != nullptr) {
    PyArrayObject* const target = few(out);
    if (target == nullptr || !PyArray_ISWRITEABLE(target) || !PyArray_SAMESHAPE(target, like)) return {};
    std::array<double, most_elements>
        result;  // the output may overlap an operand, and stays as it is for NumPy
    if (!compute(*what, numbers(left), numbers(right), result.data(), count)) return {};
    std::copy_n(result.data(), count, static_cast<double*>(PyArray_DATA(target)));
    count_host_op();
    return Ref::borrow(out);
  }
  Ref result = Ref::checked(PyArray_SimpleNew(PyArray_NDIM(like), PyArray_DIMS(like), NPY_DOUBLE));
  auto* const elements = static_cast<double*>(PyArray_DATA(as_numpy(result)));
  if (!compute(*what, numbers(left), numbers(right), elements, count)) return {};
  count_host_op();
  return result;
}

}  // namespace gamelan::kernel
