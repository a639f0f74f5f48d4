// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/broadcast.hpp"

#include <algorithm>
#include <limits>

#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/uploads.hpp"
#include "kernel/arrays/values.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::View;
using Kind = Operand::Kind;

std::string shape_text(const PyArrayObject* array) {
  std::string text = "(";
  auto* mutable_array = const_cast<PyArrayObject*>(array);
  const int dims = PyArray_NDIM(mutable_array);
  for (int dim = 0; dim < dims; ++dim) {
    text += std::to_string(PyArray_DIM(mutable_array, dim));
    if (dim + 1 < dims || dims == 1) text += ",";
  }
  return text + ")";
}

std::vector<npy_intp> broadcast_extents(const Operands& operands) {
  std::size_t dims = 0;
  for (const Operand& operand : operands) dims = std::max(dims, static_cast<std::size_t>(operand.dims()));
  std::vector<npy_intp> extents(dims, 1);
  for (const Operand& operand : operands) {
    PyArrayObject* source = operand.shape_source();
    const auto own = static_cast<std::size_t>(operand.dims());
    for (std::size_t dim = 0; dim < own; ++dim) {
      const npy_intp extent = PyArray_DIM(source, static_cast<int>(dim));
      npy_intp& common = extents[dims - own + dim];
      if (common == 1) common = extent;
      if (extent == common || extent == 1) continue;
      std::string text = "operands could not be broadcast together with shapes ";
      for (const Operand& each : operands)
        text += (each.shape_source() ? shape_text(each.shape_source()) : "()") + " ";
      PyErr_SetString(PyExc_ValueError, text.c_str());
      throw PythonError();
    }
  }
  return extents;
}

std::int64_t product(std::span<const npy_intp> extents) {
  std::int64_t count = 1;
  for (const npy_intp extent : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

void stretch(View& view, std::span<const npy_intp> extents) {
  const std::size_t missing = extents.size() - view.extents.size();
  view.extents.insert(view.extents.begin(), missing, 1);
  view.strides.insert(view.strides.begin(), missing, 0);
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    if (view.extents[dim] == extents[dim]) continue;
    view.extents[dim] = extents[dim];
    view.strides[dim] = 0;
  }
}

namespace {
View broadcast_view(const Array* array, std::span<const npy_intp> extents) {
  View view = view_of(array);
  stretch(view, extents);
  return view;
}
}  // namespace

protocol::Operand command_operand(const Operand& operand, Dtype loop, std::span<const npy_intp> extents,
                                  Ref& keep) {
  if (operand.kind == Kind::number) return to_scalar(operand.object.get(), loop);
  if (operand.kind == Kind::distributed) return broadcast_view(operand.array(), extents);
  keep = uploaded(as_numpy(operand.object));
  return broadcast_view(as_array(keep.get()), extents);
}

void require_writeable(PyArrayObject* array, const char* text) {
  if (PyArray_ISWRITEABLE(array)) return;
  PyErr_SetString(PyExc_ValueError, text);
  throw PythonError();
}

void require_same_extents(PyArrayObject* out, std::span<const npy_intp> extents) {
  const std::vector<npy_intp> own(PyArray_DIMS(out), PyArray_DIMS(out) + PyArray_NDIM(out));
  // The output takes part in broadcasting but is never stretched itself.
  bool fits = extents.size() <= own.size();
  for (std::size_t dim = 0; fits && dim < extents.size(); ++dim) {
    const npy_intp wanted = extents[extents.size() - 1 - dim];
    fits = wanted == 1 || wanted == own[own.size() - 1 - dim];
  }
  if (fits) return;
  std::string shape = "(";
  for (const npy_intp extent : extents) shape += std::to_string(extent) + ",";
  if (extents.size() > 1) shape.pop_back();
  PyErr_SetString(PyExc_ValueError, ("non-broadcastable output operand with shape " + shape_text(out) +
                                     " doesn't match the broadcast shape " + shape + ")")
                                        .c_str());
  throw PythonError();
}

}  // namespace gamelan::kernel
