// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/bool_bytes.hpp"

#include <algorithm>
#include <array>

#include "kernel/arrays/dispatch.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Op;

namespace {

bool may_hold_other_bytes(const Array* array) {
  return array->b != nullptr && array->b->may_hold_any_bytes && PyArray_TYPE(data_of(array)) == NPY_BOOL;
}

Ref compared(Array* array, PyObject* out) {
  const Ref bytes = Ref::checked(PyArray_View(data_of(array), PyArray_DescrFromType(NPY_UINT8), nullptr));
  const Ref source = wrap(bytes.get(), array->b);
  const Ref zero = Ref::checked(PyLong_FromLong(0));
  return apply(Op::not_equal, Dtype::uint8, Dtype::bool_, std::array{source.get(), zero.get()}, out);
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
