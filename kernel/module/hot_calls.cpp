// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/hot_calls.hpp"
#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/brought.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/elements.hpp"
#include "kernel/arrays/guarded.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/operator_slots.hpp"
#include "kernel/arrays/subscripts.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan {

using protocol::Dtype;
using protocol::Op;

namespace {

using kernel::guarded;

bool takes(Py_ssize_t count, Py_ssize_t least, Py_ssize_t most) {
  const bool fits = count >= least && count <= most;
  if (!fits) PyErr_Format(PyExc_TypeError, "expected %zd to %zd arguments, got %zd", least, most, count);
  return fits;
}
bool takes(Py_ssize_t count, Py_ssize_t expected) { return takes(count, expected, expected); }

Op op_at(PyObject* number) {
  const long value = PyLong_AsLong(number);
  if (PyErr_Occurred() || value < 0 || value >= protocol::op_count()) {
    PyErr_Format(PyExc_ValueError, "no op number %R", number);
    throw kernel::PythonError();
  }
  return static_cast<Op>(value);
}

PyObject* array_at(PyObject* object) {
  if (kernel::is_array(object)) return object;
  PyErr_Format(PyExc_TypeError, "return arrays must be of ArrayType, not %s", Py_TYPE(object)->tp_name);
  throw kernel::PythonError();
}

PyObject* distributed_at(PyObject* object) {
  if (kernel::is_distributed(object)) return object;
  PyErr_SetString(PyExc_TypeError, "expected a distributed array");
  throw kernel::PythonError();
}

// evaluate(op, x[, y[, z]]) and evaluate_into(op, out, x[, y]) carry all operators and plain ufunc calls.
PyObject* evaluate(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2, 4)) return nullptr;
  return guarded([&] {
    return kernel::elementwise(op_at(arguments[0]), {arguments + 1, static_cast<std::size_t>(count - 1)})
        .release();
  });
}

PyObject* evaluate_into(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 3, 5)) return nullptr;
  return guarded([&] {
    return kernel::elementwise_into(op_at(arguments[0]), {arguments + 2, static_cast<std::size_t>(count - 2)},
                                    array_at(arguments[1]))
        .release();
  });
}

PyObject* assign(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  return guarded([&] {
    kernel::assign(distributed_at(arguments[0]), arguments[1]);
    Py_RETURN_NONE;
  });
}

PyObject* wrap(PyObject*, PyObject* value) {
  kernel::count_host_op();
  return guarded([&] { return kernel::wrap_result(value).release(); });
}

PyObject* wrap_here(PyObject*, PyObject* value) {
  return guarded([&] { return kernel::adopt(value).release(); });
}

PyObject* share(PyObject*, PyObject* value) {
  return guarded([&] { return kernel::share(value).release(); });
}

PyObject* is_ours(PyObject*, PyObject* value) { return PyBool_FromLong(kernel::is_array(value)); }

PyObject* hold(PyObject*, PyObject* value) {
  return guarded([&] {
    if (PyArray_Check(value)) return kernel::hold(value).release();
    PyErr_SetString(PyExc_TypeError, "expected a numpy.ndarray");
    throw kernel::PythonError();
  });
}

// view(array, numpy_array): an array of ours over a view that NumPy derived from array._a.
PyObject* view(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  return guarded([&] {
    if (!PyArray_Check(arguments[1])) {
      PyErr_SetString(PyExc_TypeError, "expected a numpy.ndarray");
      throw kernel::PythonError();
    }
    PyObject* const array = array_at(arguments[0]);
    return (kernel::is_distributed(array) ? kernel::hold(arguments[1], kernel::as_array(array)->b)
                                          : kernel::adopt(arguments[1]))
        .release();
  });
}

PyObject* element(PyObject*, PyObject* array) {
  return guarded([&] { return kernel::element_of(kernel::as_array(distributed_at(array))).release(); });
}

PyObject* value(PyObject*, PyObject* array) {
  if (!kernel::is_array(array)) return Py_NewRef(array);
  return guarded([&] { return kernel::value_of(array).release(); });
}

int int_at(PyObject* number) {
  const long value = PyLong_AsLong(number);
  if (value == -1 && PyErr_Occurred()) throw kernel::PythonError();
  return static_cast<int>(value);
}

Dtype dtype_at(PyObject* number) {
  const int value = int_at(number);
  if (value < 0 || value >= protocol::dtype_count) {
    PyErr_Format(PyExc_ValueError, "no dtype number %d", value);
    throw kernel::PythonError();
  }
  return static_cast<Dtype>(value);
}

std::span<PyObject* const> items_of(PyObject* tuple) {
  if (!PyTuple_Check(tuple)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple");
    throw kernel::PythonError();
  }
  return {reinterpret_cast<PyTupleObject*>(tuple)->ob_item,
          static_cast<std::size_t>(PyTuple_GET_SIZE(tuple))};
}

std::vector<npy_intp> extents_at(PyObject* tuple) {
  std::vector<npy_intp> extents;
  for (PyObject* extent : items_of(tuple)) extents.push_back(PyNumber_AsSsize_t(extent, PyExc_OverflowError));
  if (PyErr_Occurred()) throw kernel::PythonError();
  return extents;
}

// reshape_view(array, shape): a view of that shape and the same size, or None when only a copy has it.
PyObject* reshape_view(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  return guarded([&] {
    const auto extents = extents_at(arguments[1]);
    if (kernel::is_local(array_at(arguments[0]))) distributed_at(arguments[0]);
    kernel::Array* array = kernel::as_array(arguments[0]);
    if (PyArray_MultiplyList(extents.data(), static_cast<int>(extents.size())) !=
        PyArray_SIZE(kernel::data_of(array))) {
      PyErr_SetString(PyExc_ValueError, "the shapes differ in size");
      throw kernel::PythonError();
    }
    kernel::Ref view = kernel::reshape_view(array, static_cast<int>(extents.size()), extents.data());
    return view ? view.release() : kernel::Ref::borrow(Py_None).release();
  });
}

// rebind(array, other): array becomes what the other is, a view of its own (assignment to .shape) or new
// (resize).
PyObject* rebind(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2)) return nullptr;
  return guarded([&] {
    kernel::Array* array = kernel::as_array(distributed_at(arguments[0]));
    const kernel::Array* other = kernel::as_array(distributed_at(arguments[1]));
    Py_INCREF(other->a);
    Py_XINCREF(reinterpret_cast<PyObject*>(other->b));
    kernel::disown(array);
    const kernel::Ref old_base(reinterpret_cast<PyObject*>(array->b));
    array->b = other->b;
    Py_CLEAR(array->value);
    Py_SETREF(array->a, other->a);
    kernel::UserCall::commit();
    Py_RETURN_NONE;
  });
}

PyObject* empty(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 2, 3)) return nullptr;
  return guarded([&] {
    const auto extents = extents_at(arguments[0]);
    if (count == 3) (*kernel::as_array(distributed_at(arguments[2]))->b->session)->require_current();
    return kernel::new_distributed(kernel::current_session(), dtype_at(arguments[1]),
                                   static_cast<int>(extents.size()), extents.data())
        .release();
  });
}

PyObject* record(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 6)) return nullptr;
  return guarded([&] {
    std::vector<std::int64_t> ints;
    // Keys and offsets are 64 random bits: they travel as the signed number with the same bits.
    for (PyObject* item : items_of(arguments[5])) {
      ints.push_back(static_cast<std::int64_t>(PyLong_AsUnsignedLongLongMask(item)));
    }
    if (PyErr_Occurred()) throw kernel::PythonError();
    kernel::record(op_at(arguments[0]), dtype_at(arguments[1]), distributed_at(arguments[2]),
                   arguments[3] == Py_True, items_of(arguments[4]), std::move(ints));
    Py_RETURN_NONE;
  });
}

// A command with a text as its payload. The arguments: op, loop, out, inputs, ints, text.
void record_with_text(PyObject* const* arguments, bool creates) {
  std::vector<std::int64_t> ints;
  for (PyObject* item : items_of(arguments[4])) ints.push_back(PyLong_AsLongLong(item));
  char* text = nullptr;
  Py_ssize_t length = 0;
  if (PyErr_Occurred() || PyBytes_AsStringAndSize(arguments[5], &text, &length) < 0)
    throw kernel::PythonError();
  const auto* first = reinterpret_cast<const std::byte*>(text);
  kernel::record(op_at(arguments[0]), dtype_at(arguments[1]), distributed_at(arguments[2]), creates,
                 items_of(arguments[3]), std::move(ints), protocol::Bytes(first, first + length));
}

PyObject* record_named(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 6)) return nullptr;
  return guarded([&] {
    record_with_text(arguments, false);
    Py_RETURN_NONE;
  });
}

PyObject* record_file(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 6)) return nullptr;
  return guarded([&] {
    record_with_text(arguments, true);
    kernel::as_array(arguments[2])->b->may_hold_any_bytes = true;
    Py_RETURN_NONE;
  });
}

PyObject* apply(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!takes(count, 5)) return nullptr;
  return guarded([&] {
    return kernel::apply(op_at(arguments[0]), dtype_at(arguments[1]), dtype_at(arguments[2]),
                         items_of(arguments[3]),
                         arguments[4] == Py_None ? nullptr : distributed_at(arguments[4]))
        .release();
  });
}

PyObject* brought_here(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return guarded([&] {
    const auto here = kernel::brought({arguments, static_cast<std::size_t>(count)}, 1);
    if (!here) return Py_NewRef(Py_None);
    kernel::Ref result = kernel::Ref::checked(PyTuple_New(count));
    for (Py_ssize_t place = 0; place < count; ++place) {
      PyObject* const object = (*here)[static_cast<std::size_t>(place)].get();
      PyTuple_SET_ITEM(result.get(), place,
                       kernel::is_local(object) ? kernel::plain(object).release() : Py_NewRef(object));
    }
    return result.release();
  });
}

PyObject* fill_operator_slots(PyObject*, PyObject*) {
  return guarded([] {
    kernel::fill_operator_slots();
    Py_RETURN_NONE;
  });
}

PyObject* threshold(PyObject*, PyObject*) { return PyLong_FromLongLong(kernel::threshold()); }

PyCFunction fast(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef hot_methods[] = {
    {"evaluate", fast(evaluate), METH_FASTCALL,
     "evaluate(op, *operands): an element-wise op, here or on the engines."},
    {"evaluate_into", fast(evaluate_into), METH_FASTCALL,
     "evaluate_into(op, out, *operands): the same into an array."},
    {"assign", fast(assign), METH_FASTCALL, "assign(view, value): view[...] = value for a distributed view."},
    {"view", fast(view), METH_FASTCALL, "view(array, derived): an array over a NumPy view of array._a."},
    {"wrap", wrap, METH_O,
     "What to make of a new result of NumPy, which is counted; large arrays go to the engines."},
    {"wrap_here", wrap_here, METH_O,
     "Gives a new NumPy array, which nobody else knows, the class of small arrays, whatever its size."},
    {"share", share, METH_O, "A small array over the memory of a NumPy array that others know."},
    {"is_ours", is_ours, METH_O,
     "True for a gamelan array, small or distributed. One of a class that a user derives from `ndarray` is "
     "as "
     "any user's."},
    {"hold", hold, METH_O,
     "A NumPy array of a class of its own as an operand; what NumPy makes of it has that class, and is not "
     "wrapped."},
    {"element", element, METH_O, "The element that a 0-d view of a distributed array names, as a value."},
    {"value", value, METH_O, "The NumPy scalar in a 0-d array; waits. What is a scalar already is returned."},
    {"reshape_view", fast(reshape_view), METH_FASTCALL,
     "reshape_view(array, shape): a view, or None if it needs a copy."},
    {"rebind", fast(rebind), METH_FASTCALL, "rebind(array, other): array becomes what the other is."},
    {"empty", fast(empty), METH_FASTCALL,
     "empty(shape, dtype[, like]): a distributed array that the next `record` creates; `like` must be "
     "alive."},
    {"record_named", fast(record_named), METH_FASTCALL,
     "record_named(op, loop, out, inputs, ints, name): a command that calls a routine."},
    {"record", fast(record), METH_FASTCALL,
     "record(op, loop, out, creates, inputs, ints): a structural command."},
    {"record_file", fast(record_file), METH_FASTCALL,
     "record_file(op, loop, out, inputs, ints, path): a command that reads or writes a file."},
    {"apply", fast(apply), METH_FASTCALL,
     "apply(op, loop, result, inputs, out): element-wise with given dtypes."},
    {"brought", fast(brought_here), METH_FASTCALL,
     "brought(*operands): NumPy's arrays for small operands in frequent use, or None (brought.hpp)."},
    {"fill_operator_slots", fill_operator_slots, METH_NOARGS,
     "Small arrays call the operators of their class directly, from now on (operator_slots.hpp)."},
    {"threshold", threshold, METH_NOARGS, "Elements from which an array lives on the engines."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void kernel::add_hot_calls(PyObject* module) {
  if (PyModule_AddFunctions(module, hot_methods) < 0) throw PythonError();
}

}  // namespace gamelan
