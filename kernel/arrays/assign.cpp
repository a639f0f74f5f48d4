// SPDX-License-Identifier: BSD-3-Clause
// target[...] = value: NumPy's rules of assignment, which differ from those of operators (unsafe casts;
// leading axes of extent 1 are dropped).
#include <algorithm>
#include <string>

#include "kernel/arrays/broadcast.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/uploads.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/warnings.hpp"

namespace gamelan::kernel {

using protocol::Command;
using protocol::Dtype;
using protocol::Op;
using protocol::View;
using Kind = Operand::Kind;

namespace {

bool has_distributed_items(PyObject* value) {
  if (!PyList_Check(value) && !PyTuple_Check(value)) return false;
  PyObject** items = PySequence_Fast_ITEMS(value);
  return std::any_of(items, items + PySequence_Fast_GET_SIZE(value), is_distributed);
}

bool is_machine_integer(PyObject* value) {
  int overflow = 1;
  if (PyLong_Check(value)) static_cast<void>(PyLong_AsLongLongAndOverflow(value, &overflow));
  return overflow == 0;
}

// NumPy's own conversion of one number, with its errors and warnings (NaN into an int, 300 into a uint8).
Ref converted_number(const Operand& operand, Dtype dtype) {
  Ref cell = Ref::checked(PyArray_SimpleNew(0, nullptr, type_number(dtype)));
  if (PyArray_CheckScalar(operand.object.get()) || PyArray_Check(operand.object.get())) {
    if (PyArray_CopyObject(as_numpy(cell), operand.object.get()) < 0) throw PythonError();
  } else if (PyArray_SETITEM(as_numpy(cell), PyArray_BYTES(as_numpy(cell)), operand.object.get()) < 0) {
    throw PythonError();
  }
  return cell;
}

// How many leading axes of extent 1 are dropped because the target lacks them, as NumPy does when it assigns;
// raises its ValueError when the value does not fit even so.
std::size_t leading_ones(const Operand& operand, PyArrayObject* proxy) {
  const std::span<const npy_intp> extents(PyArray_DIMS(proxy), static_cast<std::size_t>(PyArray_NDIM(proxy)));
  PyArrayObject* source = operand.shape_source();
  int extra = operand.dims() - static_cast<int>(extents.size());
  std::vector<npy_intp> own(PyArray_DIMS(source), PyArray_DIMS(source) + operand.dims());
  std::size_t dropped = 0;
  while (extra > 0 && dropped < own.size() && own[dropped] == 1) {
    ++dropped;
    --extra;
  }
  bool fits = extra <= 0;
  for (std::size_t dim = dropped; fits && dim < own.size(); ++dim) {
    fits = own[dim] == 1 || own[dim] == extents[extents.size() - (own.size() - dim)];
  }
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, ("could not broadcast input array from shape " + shape_text(source) +
                                       " into shape " + shape_text(proxy))
                                          .c_str());
    throw PythonError();
  }
  return dropped;
}

}  // namespace

void assign(PyObject* target_object, PyObject* value) {
  const Array* target = as_array(target_object);
  PyArrayObject* proxy = data_of(target);
  require_writeable(proxy, "assignment destination is read-only");
  const Dtype dtype = *dtype_of(PyArray_DESCR(proxy));
  const bool is_plain = is_array(value) || PyArray_Check(value) || PyArray_CheckScalar(value) ||
                        PyFloat_Check(value) || is_machine_integer(value) || PyComplex_Check(value);
  Ref converted;
  // NumPy accepts no sequence for one element. For a scalar, when the elements are signed integers, it uses
  // int().
  const bool is_scalar = PyArray_IsScalar(value, Generic);
  if (is_plain ? is_scalar && protocol::info(dtype).kind == 'i' : PyArray_NDIM(proxy) == 0) {
    converted = Ref::checked(PyArray_SimpleNew(0, nullptr, type_number(dtype)));
    if (PyArray_SETITEM(as_numpy(converted), PyArray_BYTES(as_numpy(converted)), value) < 0)
      throw PythonError();
    value = converted.get();
  } else if ((!is_plain && !has_distributed_items(value)) || is_beyond_engines(value)) {
    // Lists, strings, None, texts and dates: NumPy converts them to the target's dtype, or raises its error.
    PyArray_Descr* descr = PyArray_DESCR(proxy);
    Py_INCREF(descr);
    PyObject* const source = numpys(value);
    const int most_axes = is_plain ? 0 : PyArray_NDIM(proxy);
    converted = Ref::checked(PyArray_FromAny(source, descr, 0, most_axes, NPY_ARRAY_FORCECAST, nullptr));
    value = converted.get();
  }
  const Operand operand = classify(value);
  if (operand.kind == Kind::foreign) {
    PyErr_Format(PyExc_TypeError, "cannot assign a %s to elements of a distributed array",
                 Py_TYPE(value)->tp_name);
    throw PythonError();
  }
  const std::span<const npy_intp> extents(PyArray_DIMS(proxy), static_cast<std::size_t>(PyArray_NDIM(proxy)));
  Command command;
  command.op = Op::copy;
  command.out = view_of(target);
  Ref keep;
  if (operand.kind == Kind::number) {
    command.loop = dtype;
    command.in.push_back(to_scalar(converted_number(operand, dtype).get(), dtype));
  } else {
    const std::size_t dropped = leading_ones(operand, proxy);
    if (operand.kind == Kind::local) {
      keep = uploaded(as_numpy(operand.object));
    } else {
      (*operand.array()->b->session)->require_current();
      keep = Ref::borrow(operand.object.get());
    }
    View view = view_of(as_array(keep.get()));
    view.extents.erase(view.extents.begin(), view.extents.begin() + static_cast<std::ptrdiff_t>(dropped));
    view.strides.erase(view.strides.begin(), view.strides.begin() + static_cast<std::ptrdiff_t>(dropped));
    stretch(view, extents);
    if (view == command.out) return;  // the second half of `a[1:] += b`: the result is in place already
    warn_of_real_parts(operand.dtype, dtype);
    command.loop = operand.dtype;
    command.in.push_back(std::move(view));
  }
  record_write(target, std::move(command));
}

}  // namespace gamelan::kernel
