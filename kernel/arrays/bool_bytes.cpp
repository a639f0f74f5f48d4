// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/bool_bytes.hpp"

#include <algorithm>

#include "kernel/arrays/distributed.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Op;

namespace {

bool may_hold_other_bytes(const Array* array) {
  return array->b != nullptr && array->b->may_hold_any_bytes && PyArray_TYPE(data_of(array)) == NPY_BOOL;
}

/// Records `byte != 0` of the array's bytes, into `out` or a new array.
Ref compared(Array* array, PyObject* out) {
  (*array->b->session)->require_current();
  PyArrayObject* const proxy = data_of(array);
  Ref result = out != nullptr ? Ref::borrow(out)
                              : new_distributed(current_session(), Dtype::bool_, PyArray_NDIM(proxy),
                                                PyArray_DIMS(proxy));
  protocol::Command command;
  command.op = Op::not_equal;
  command.loop = Dtype::uint8;
  command.creates = out == nullptr;
  command.out = view_of(as_array(result.get()));
  protocol::View bytes = view_of(array);
  bytes.dtype = Dtype::uint8;
  command.in = {std::move(bytes), protocol::Scalar{Dtype::uint8, {}}};
  record_write(as_array(result.get()), std::move(command));
  return result;
}

}  // namespace

Ref with_zeros_and_ones(Ref array) {
  return may_hold_other_bytes(as_array(array.get())) ? compared(as_array(array.get()), nullptr)
                                                     : std::move(array);
}

void write_zeros_and_ones(PyObject* array) {
  if (may_hold_other_bytes(as_array(array))) compared(as_array(array), array);
}

bool has_other_bytes(PyArrayObject* array) {
  if (PyArray_TYPE(array) != NPY_BOOL) return false;
  const auto* first = static_cast<const unsigned char*>(PyArray_DATA(array));
  unsigned char all = 0;
  std::for_each(first, first + PyArray_NBYTES(array), [&](unsigned char byte) { all |= byte; });
  return all > 1;
}

}  // namespace gamelan::kernel
