// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that compute on small arrays by loops of our own (kernel/local). Each
// returns None for arguments that NumPy shall have. `gamelan._small._own_loops` calls them.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <string>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/small/short_rows.hpp"
#include "kernel/arrays/subscripts.hpp"
#include "kernel/local/order.hpp"
#include "kernel/module/core_functions.hpp"
#include "kernel/recorder/gil.hpp"
#include "kernel/recorder/python_object.hpp"

namespace py = pybind11;

namespace gamelan::kernel {
namespace {

std::optional<Number> number_of(PyArrayObject* array) {
  if (!PyArray_ISNOTSWAPPED(array)) return std::nullopt;
  const bool is_wide = PyArray_ITEMSIZE(array) == 8;
  if (!is_wide && PyArray_ITEMSIZE(array) != 4) return std::nullopt;
  switch (PyArray_DESCR(array)->kind) {
    case 'i':
      return is_wide ? Number::int64 : Number::int32;
    case 'u':
      return is_wide ? Number::uint64 : Number::uint32;
    case 'f':
      return is_wide ? Number::float64 : Number::float32;
    default:
      return std::nullopt;
  }
}

/// The kind of numbers of an array in one piece; none for anything else.
std::optional<Number> line_of(const py::handle& object) {
  if (!PyArray_Check(object.ptr())) return std::nullopt;
  auto* const array = reinterpret_cast<PyArrayObject*>(object.ptr());
  if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISALIGNED(array) || PyArray_NDIM(array) == 0)
    return std::nullopt;
  return number_of(array);
}

PyArrayObject* numpys_of(const py::handle& object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

constexpr std::int64_t most_sorted = std::numeric_limits<std::uint32_t>::max();

py::object sorted(const py::object& array, bool drops_repeated) {
  const auto kind = line_of(array);
  const auto count = kind ? std::int64_t{PyArray_SIZE(numpys_of(array))} : 0;
  if (!kind || PyArray_NDIM(numpys_of(array)) != 1 || count > most_sorted) return py::none();
  const void* const given = PyArray_DATA(numpys_of(array));
  // Of NaNs NumPy says how many stay.
  if (drops_repeated && has_nan(*kind, given, count)) return py::none();
  py::object result = python(Ref::checked(PyArray_NewCopy(numpys_of(array), NPY_CORDER)));
  void* const numbers = PyArray_DATA(numpys_of(result));
  std::int64_t left = count;
  try {
    const WithoutGil others_run;
    if (!is_ascending(*kind, numbers, count)) sort_numbers(*kind, numbers, count);
    if (drops_repeated) left = drop_repeated(*kind, numbers, count);
  } catch (const std::bad_alloc&) {
    return py::none();  // NumPy needs less memory
  }
  return drops_repeated ? result[py::slice(0, left, 1)].attr("copy")() : result;
}

py::object searched(const py::object& edges, const py::object& values, bool is_behind_equals) {
  const auto kind = line_of(edges);
  if (!kind || line_of(values) != kind || PyArray_NDIM(numpys_of(edges)) != 1) return py::none();
  const auto edge_count = PyArray_SIZE(numpys_of(edges)), count = PyArray_SIZE(numpys_of(values));
  const void *const first_edge = PyArray_DATA(numpys_of(edges)), *const value =
                                                                     PyArray_DATA(numpys_of(values));
  if (!is_ascending(*kind, first_edge, edge_count)) return py::none();
  py::object places = python(Ref::checked(
      PyArray_SimpleNew(PyArray_NDIM(numpys_of(values)), PyArray_DIMS(numpys_of(values)), NPY_INT64)));
  auto* const found = static_cast<std::int64_t*>(PyArray_DATA(numpys_of(places)));
  {
    const WithoutGil others_run;
    search_sorted(*kind, first_edge, edge_count, value, count, is_behind_equals, found);
  }
  return places;
}

}  // namespace

void add_local_functions(py::module_& m) {
  m.attr("LEAST_OF_A_MASK") = least_of_a_mask;
  m.def("sorted_here", &sorted, "A sorted copy of a vector; its different numbers only, if wanted.");
  m.def(
      "has_equals_that_differ",
      [](const py::object& array) -> py::object {
        const auto kind = line_of(array);
        if (!kind) return py::none();
        return py::bool_(
            has_equals_that_differ(*kind, PyArray_DATA(numpys_of(array)), PyArray_SIZE(numpys_of(array))));
      },
      "Has an array in one piece a -0.0, or a NaN that is not the usual one?");
  m.def("searched_here", &searched, "Where values belong among edges that ascend.");
  m.attr("LEAST_OF_ROWS") = least_of_rows;
  m.def("set_begin_of_sums", &set_begin_of_sums);
  m.def(
      "folded_here",
      [](const std::string& name, const py::object& array, const py::object& axis,
         const py::object& keepdims) -> py::object {
        const int fold = row_fold_named(name.c_str());
        Ref folds = fold < 0 ? Ref() : fold_of_short_rows(fold, array.ptr(), axis.ptr(), keepdims.ptr());
        return folds ? python(std::move(folds)) : py::none();
      },
      py::arg("name"), py::arg("array"), py::arg("axis"), py::arg("keepdims") = false,
      "numpy.sum(array, axis, keepdims=keepdims), or what else the name says, of short rows.");
  m.def(
      "chosen_here",
      [](const py::object& mask, const py::object& yes, const py::object& no) -> py::object {
        Ref chosen = chosen_by_mask(mask.ptr(), yes.ptr(), no.ptr());
        return chosen ? python(std::move(chosen)) : py::none();
      },
      "numpy.where(mask, yes, no).");
}

}  // namespace gamelan::kernel
