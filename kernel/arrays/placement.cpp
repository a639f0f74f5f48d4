// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/placement.hpp"
// (numpy_api.hpp first)
#include <algorithm>
#include <array>

namespace gamelan::kernel {
namespace {

std::int64_t threshold_elements = 0;  // gamelan._config sets it
std::uint64_t host_op_count = 0;

// The result of a quick look at one operand: local (with its shape joined to the others'), distributed, or of
// a kind that classify() must find out.
enum class Quick { local, distributed, unknown };
struct Shape {
  int dims = 0;
  std::array<npy_intp, 64> extents;  // of the last axis first, as many as `dims`; NumPy 2 has 64 at most

  void join(PyArrayObject* array) {
    const int own = PyArray_NDIM(array);
    for (int dim = 0; dim < own; ++dim) {
      const npy_intp extent = PyArray_DIM(array, own - 1 - dim);
      npy_intp& joined = extents[static_cast<std::size_t>(dim)];
      joined = dim < dims ? std::max(joined, extent) : extent;
    }
    dims = std::max(dims, own);
  }

  // Of the result, if these operands broadcast.
  bool is_small() const {
    std::int64_t elements = 1;
    for (int dim = 0; dim < dims; ++dim) {
      if (__builtin_mul_overflow(elements, extents[static_cast<std::size_t>(dim)], &elements)) return false;
    }
    return elements < threshold_elements;
  }
};
Quick look(PyObject* input, Shape& shape) {
  if (is_local(input) || PyArray_CheckExact(input)) {
    shape.join(reinterpret_cast<PyArrayObject*>(input));
    return Quick::local;
  }
  if (is_distributed(input)) {
    shape.join(data_of(as_array(input)));
    return Quick::distributed;
  }
  const bool is_number = PyFloat_CheckExact(input) || PyLong_Check(input) || PyComplex_CheckExact(input) ||
                         PyArray_IsScalar(input, Generic);
  return is_number ? Quick::local : Quick::unknown;
}

}  // namespace

bool is_beyond_engines(PyObject* input) {
  PyObject* const data = numpys(input);
  int type = NPY_BOOL;
  if (PyArray_CheckExact(data) || is_local(data)) {
    type = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(data))->type_num;
  } else if (PyArray_IsScalar(data, Generic)) {
    const Ref descr = Ref::checked(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(data)));
    type = reinterpret_cast<PyArray_Descr*>(descr.get())->type_num;
  }
  return type == NPY_LONGDOUBLE || (type > NPY_CDOUBLE && type != NPY_HALF);
}

bool is_plainly_local(std::span<PyObject* const> inputs) {
  Shape shape;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](PyObject* input) { return look(input, shape) == Quick::local; }) &&
         shape.is_small();
}

bool would_be_local(std::span<PyObject* const> inputs) {
  Shape shape;
  return std::none_of(inputs.begin(), inputs.end(),
                      [&](PyObject* input) { return look(input, shape) == Quick::unknown; }) &&
         shape.is_small();
}

bool is_small_product(PyObject* left, PyObject* right) {
  const auto is_known = [](PyObject* object) {
    return is_local(object) || PyArray_CheckExact(object) || is_distributed(object);
  };
  if (!is_known(left) || !is_known(right)) return false;
  auto* const first = reinterpret_cast<PyArrayObject*>(numpys(left));
  const std::int64_t sizes[] = {PyArray_SIZE(first),
                                PyArray_SIZE(reinterpret_cast<PyArrayObject*>(numpys(right)))};
  const std::int64_t contracted =
      PyArray_NDIM(first) == 0 ? 1 : std::max<npy_intp>(PyArray_DIM(first, PyArray_NDIM(first) - 1), 1);
  std::int64_t elements = 0;  // of the result, if these operands can be multiplied
  if (__builtin_mul_overflow(sizes[0] / contracted, sizes[1] / contracted, &elements)) return false;
  return std::max({elements, sizes[0], sizes[1]}) < threshold_elements;
}

void set_threshold(std::int64_t elements) { threshold_elements = elements; }
std::int64_t threshold() { return threshold_elements; }
std::uint64_t host_ops() { return host_op_count; }
void count_host_op() { ++host_op_count; }

}  // namespace gamelan::kernel
