// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/new_sizes.hpp"
// (Python.h first)
#include <algorithm>
#include <array>
#include <string_view>

namespace gamelan::kernel {
namespace {

using Elements = std::optional<std::int64_t>;

constexpr std::int64_t usual_count = 50;  // of linspace
constexpr double most_elements = 1e15;
constexpr std::array<std::string_view, 4> plain_keywords{"dtype", "order", "endpoint", "num"};

Elements whole(PyObject* object) {
  if (!PyLong_CheckExact(object)) return {};
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 && value >= 0 ? Elements(value) : Elements();
}

Elements product_of(PyObject* const* extents, Py_ssize_t count) {
  std::int64_t elements = 1;
  for (Py_ssize_t axis = 0; axis < count; ++axis) {
    const Elements extent = whole(extents[axis]);
    if (!extent || __builtin_mul_overflow(elements, *extent, &elements)) return {};
  }
  return elements;
}

std::optional<double> real(PyObject* object) {
  if (PyFloat_CheckExact(object)) return PyFloat_AS_DOUBLE(object);
  if (!PyLong_CheckExact(object)) return {};
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

Elements of_range(PyObject* const* arguments, std::size_t count) {
  std::array<double, 3> numbers{0, 0, 1};
  for (std::size_t place = 0; place < std::min<std::size_t>(count, numbers.size()); ++place) {
    const auto number = real(arguments[place]);
    if (!number) return {};
    numbers[count == 1 ? 1 : place] = *number;
  }
  const double length = (numbers[1] - numbers[0]) / numbers[2];
  if (!(length < most_elements) || numbers[2] == 0) return {};  // or no number
  return length < 0 ? 0 : static_cast<std::int64_t>(length) + 1;
}

bool is_setting(PyObject* object) {
  return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyComplex_CheckExact(object) || PyUnicode_CheckExact(object) ||
         PyArray_DescrCheck(object) || PyType_Check(object) || PyArray_IsScalar(object, Number);
}

}  // namespace

Elements elements_of_shape(PyObject* shape) {
  if (PyTuple_CheckExact(shape) == 0 && PyList_CheckExact(shape) == 0) return whole(shape);
  return product_of(PySequence_Fast_ITEMS(shape), PySequence_Fast_GET_SIZE(shape));
}

Elements elements_of_new(NewSize size, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  if (count == 0) return {};
  if (!std::all_of(arguments + 1, arguments + count, is_setting)) return {};
  PyObject* number = count > 2 ? arguments[2] : nullptr;
  const std::size_t named = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
  for (std::size_t place = 0; place < named; ++place) {
    PyObject* const value = arguments[count + place];
    Py_ssize_t length = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(keywords, place), &length);
    const std::string_view name(text, static_cast<std::size_t>(length));
    if (!is_setting(value) ||
        std::find(plain_keywords.begin(), plain_keywords.end(), name) == plain_keywords.end())
      return {};
    if (name == "num") number = value;
  }
  switch (size) {
    case NewSize::shape:
      return elements_of_shape(arguments[0]);
    case NewSize::extents: {
      const bool is_square = count == 1 || arguments[1] == Py_None;
      const std::array extents{arguments[0], is_square ? arguments[0] : arguments[1]};
      return product_of(extents.data(), 2);
    }
    case NewSize::range:
      return of_range(arguments, count);
    case NewSize::count:
      if (count < 2 || !real(arguments[0]) || !real(arguments[1])) return {};
      return number == nullptr ? Elements(usual_count) : whole(number);
  }
  return {};
}

}  // namespace gamelan::kernel
