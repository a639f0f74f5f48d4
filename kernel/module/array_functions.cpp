// SPDX-License-Identifier: BSD-3-Clause
// The functions of gamelan._core that concern arrays: elements that come and go, random numbers, warnings.
#include "kernel/arrays/numpy_api.hpp"
// (numpy_api.hpp first, as everywhere)
#include <pybind11/stl.h>

#include <vector>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/buffer.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/module/core_functions.hpp"
#include "kernel/random/random_fill.hpp"
#include "kernel/random/random_words.hpp"
#include "kernel/recorder/warnings.hpp"

namespace py = pybind11;

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Op;

namespace {

py::list fetch_all(const py::sequence& arrays) {
  std::vector<PyObject*> sources;
  std::vector<Ref> keep;
  for (const auto& item : arrays) {
    if (!is_array(item.ptr())) throw py::type_error("fetch expects gamelan arrays");
    keep.push_back(Ref::borrow(item.ptr()));
    sources.push_back(item.ptr());
  }
  py::list results;
  for (auto& result : fetch(sources)) results.append(python(std::move(result)));
  return results;
}

}  // namespace

void add_array_functions(py::module_& m) {
  m.def(
      "warn",
      [](const py::object& category, const std::string& message) { warn(category.ptr(), message.c_str()); },
      "Warns at the user's line.");
  m.def(
      "make_writeable",
      [](const py::object& array) {
        PyArray_ENABLEFLAGS(data_of(as_array(array.ptr())), NPY_ARRAY_WRITEABLE);
      },
      "Lets an array be written whose memory, which NumPy cannot see, may be.");
  m.def(
      "warn_of_real_parts",
      [](int from, int to) { warn_of_real_parts(static_cast<Dtype>(from), static_cast<Dtype>(to)); },
      "NumPy's ComplexWarning, where a cast leaves imaginary parts out.");
  m.def("upload", [](const py::object& array) {
    return python(upload(reinterpret_cast<PyArrayObject*>(array.ptr())));
  });
  m.def(
      "raise_refusal", [](const py::object& array) { kernel::raise_refusal(array.ptr()); },
      "Raises what the buffer of this array has raised just now, and NumPy dropped.");
  m.def("is_refused", [](const py::object& array) { return kernel::is_refused(array.ptr()); });
  m.def("fetch", &fetch_all, "The arrays' elements as NumPy arrays, in one round trip.");
  m.def(
      "random_fill",
      [](const py::object& array, int op, std::uint64_t key, std::uint64_t offset, const py::object& a,
         const py::object& b) {
        random_fill(reinterpret_cast<PyArrayObject*>(array.ptr()), static_cast<Op>(op), key, offset, a.ptr(),
                    b.ptr());
      },
      "Fills a NumPy array with the engines' random numbers.");
  m.def(
      "random_order",
      [](const py::object& array, std::uint64_t key, std::uint64_t offset) {
        auto* order = reinterpret_cast<PyArrayObject*>(array.ptr());
        random_order(
            key, offset,
            {static_cast<std::int64_t*>(PyArray_DATA(order)), static_cast<std::size_t>(PyArray_SIZE(order))});
      },
      "Fills a contiguous array of int64 with the stable order of as many random words.");
  m.def(
      "draw_fill",
      [](const py::object& array, int number, std::uint64_t key, std::uint64_t offset,
         const std::vector<py::object>& parameters) {
        std::vector<PyArrayObject*> arrays;
        for (const auto& parameter : parameters)
          arrays.push_back(reinterpret_cast<PyArrayObject*>(parameter.ptr()));
        draw_fill(reinterpret_cast<PyArrayObject*>(array.ptr()), number, key, offset, arrays);
      },
      "Fills a contiguous float64 array with numbers of a distribution; parameters: float64, of one element "
      "or contiguous.");
}

}  // namespace gamelan::kernel
