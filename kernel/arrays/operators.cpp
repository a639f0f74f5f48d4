// SPDX-License-Identifier: BSD-3-Clause
// See operators.hpp. Which operator is which op, and the Python functions for what is not decided here
// (`general`), come from gamelan._ndarray._operators.
#include "kernel/arrays/operators.hpp"
// (numpy_api.hpp first)
#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/arrays/brought.hpp"
#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/guarded.hpp"
#include "kernel/arrays/operand.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/small/plain_view.hpp"
#include "kernel/arrays/small/short_rows.hpp"
#include "kernel/arrays/temporaries.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/user_call.hpp"
#include "protocol/ops.hpp"

namespace gamelan::kernel {

using protocol::Op;

namespace {

// How an operator uses its op. `equality` is a forward one that never fails. The last four have no op: for
// small arrays they call NumPy's own operator or method, else `general`; `by_general` always does.
enum Form : int { forward, reflected, in_place, equality, by_numpy, product, method, by_general };

struct Operator {
  PyObject_HEAD vectorcallfunc call;
  int op, form;
  int row_fold;       // of a method that is one (row_fold_named); -1: it is none
  PyObject* numpy;    // numpy.ndarray's operator or method of that name
  PyObject* general;  // a Python function, or None
  PyObject* name;
  PyObject* qualified_name;
};

bool unequal_shapes_raise = false;  // of == and !=

Operator* as_operator(PyObject* self) { return reinterpret_cast<Operator*>(self); }

bool is_here(PyObject* object) { return !is_distributed(object); }

bool are_all_here(PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const std::size_t more = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
  return std::all_of(arguments, arguments + count + more, is_here);
}

// A 0-d array of the engines that stands for a NumPy scalar.
bool is_value(PyObject* object) {
  if (is_here(object)) return false;
  PyArrayObject* proxy = data_of(as_array(object));
  return PyArray_NDIM(proxy) == 0 && (PyArray_FLAGS(proxy) & NPY_ARRAY_WRITEABLE) == 0;
}

// Lists, tuples and text, which Python repeats when they are multiplied by a number.
bool is_repeatable(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  const bool has_product = type->tp_as_number != nullptr && type->tp_as_number->nb_multiply != nullptr;
  return !has_product && type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_repeat != nullptr;
}

// The result of NumPy's operator for the same arguments, wrapped; the first array itself where NumPy returns
// its own.
Ref ask_numpy(const Operator& self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const std::size_t keyword_count =
      keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
  const std::size_t all = count + keyword_count;
  count_host_op();
  if (self.row_fold >= 0)
    if (Ref folds = fold_of_short_rows(self.row_fold, arguments, count, keywords))
      return adopt_result(folds.get());
  const NumpysArguments theirs({arguments, all});
  Ref result = Ref::checked(PyObject_Vectorcall(self.numpy, theirs.data(), count, keywords));
  for (std::size_t place = 0; place < all; ++place) {
    if (result.get() == theirs.data()[place]) return Ref::borrow(arguments[place]);
  }
  if (!PyTuple_CheckExact(result.get())) return adopt_result(result.get());
  const Py_ssize_t size = PyTuple_GET_SIZE(result.get());  // of divmod
  Ref wrapped = Ref::checked(PyTuple_New(size));
  for (Py_ssize_t index = 0; index < size; ++index) {
    PyTuple_SET_ITEM(wrapped.get(), index, adopt_result(PyTuple_GET_ITEM(result.get(), index)).release());
  }
  return wrapped;
}

// What NumPy makes of an array of a class derived from ours. Other arrays of ours are plain ones to it, or
// their class could be the result's.
Ref ask_for_derived(const Operator& self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const std::size_t keyword_count =
      keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(keywords));
  std::vector<PyObject*> theirs(arguments, arguments + count + keyword_count);
  std::vector<Ref> keep;
  for (PyObject*& argument : theirs) {
    if (is_local(argument)) argument = keep.emplace_back(plain(argument)).get();
  }
  Ref result = Ref::checked(PyObject_Vectorcall(self.numpy, theirs.data(), count, keywords));
  for (std::size_t place = 0; place < theirs.size(); ++place) {
    if (result.get() == theirs[place]) return Ref::borrow(arguments[place]);  // an output
  }
  return result;
}

Ref ask_general(const Operator& self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const UserCall lives;
  return Ref::checked(PyObject_Vectorcall(self.general, arguments, count, keywords));
}

// Beside an array with a class of its own (matrix, masked array), the operator of that class is called, as
// NumPy's arrays do it.
Ref ask_their_class(const Operator& self, PyObject* array, PyObject* other) {
  if (!is_here(array)) {
    PyErr_Format(PyExc_NotImplementedError,
                 "the operator of a %s beside a distributed array is not implemented: numpy.asarray(x) makes "
                 "a plain array of either",
                 Py_TYPE(other)->tp_name);
    throw PythonError();
  }
  std::string name = PyUnicode_AsUTF8(self.name);
  if (self.form == reflected) name.erase(name.find('r'), 1);  // __rmul__
  const Ref operators = Ref::checked(PyImport_ImportModule("operator"));
  const Ref function = Ref::checked(PyObject_GetAttrString(operators.get(), name.c_str()));
  const Ref data = is_local(array) ? plain(array) : Ref::borrow(numpys(array));
  std::array<PyObject*, 2> pair{data.get(), other};
  if (self.form == reflected) std::swap(pair[0], pair[1]);
  return adopt_result(
      Ref::checked(PyObject_Vectorcall(function.get(), pair.data(), pair.size(), nullptr)).get());
}

Ref evaluate(const Operator& self, std::span<PyObject* const> arguments, int slot_operands) {
  const Op op = static_cast<Op>(self.op);
  if ((self.form == forward || self.form == reflected) && arguments.size() <= 2) {
    std::array<PyObject*, 2> operands{arguments.front(), arguments.back()};
    if (self.form == reflected) std::swap(operands[0], operands[1]);
    const std::span<PyObject* const> ordered(operands.data(), arguments.size());
    const std::size_t place = reusable_operand(op, ordered, slot_operands);
    if (place == ordered.size()) return elementwise(op, ordered);
    PyObject* const reused = ordered[place];
    if (place == 1 && (op == Op::add || op == Op::multiply)) std::swap(operands[0], operands[1]);
    return elementwise_into(op, ordered, reused);
  }
  // A value is never changed: as with NumPy's scalars, the name on the left gets a new one.
  if (self.form == in_place && !is_value(arguments[0])) return elementwise_into(op, arguments, arguments[0]);
  return elementwise(op, arguments);
}

// `==` of shapes that do not fit is False in NumPy 1.x, with a warning.
Ref unequal(const char* message = "elementwise comparison failed; this will raise an error in the future.") {
  PyErr_Clear();
  if (PyErr_WarnEx(PyExc_DeprecationWarning, message, 1) < 0) throw PythonError();
  return Ref::borrow(Py_NotImplemented);
}

/// True for `array ** 2` of a temporary, which NumPy squares in place, too.
bool squares_temporary(const Operator& self, std::span<PyObject* const> operands, int slot_operands) {
  if (operands.size() != 2 || PyUnicode_CompareWithASCIIString(self.name, "__pow__") != 0) return false;
  PyObject* const exponent = operands[1];
  const bool is_two = PyFloat_CheckExact(exponent)  ? PyFloat_AS_DOUBLE(exponent) == 2
                      : PyLong_CheckExact(exponent) ? PyLong_AsLong(exponent) == 2
                                                    : false;
  if (!is_two) PyErr_Clear();  // of a long number
  return is_two && is_local(operands[0]) &&
         reusable_operand(Op::square, operands.first(1), slot_operands) == 0;
}

Ref apply_operator(const Operator& self, PyObject* const* arguments, std::size_t count, PyObject* keywords) {
  const int slot_operands = SlotCall::take();
  const std::span<PyObject* const> operands(arguments, count);
  if (self.form == by_general) return ask_general(self, arguments, count, keywords);
  if (self.form == by_numpy || self.form == product || self.form == method) {
    const bool is_small = self.form == method    ? are_all_here(arguments, count, keywords)
                          : self.form == product ? count == 2 && are_all_here(arguments, count, keywords) &&
                                                       is_small_product(arguments[0], arguments[1])
                                                 : is_plainly_local(operands);
    if (is_small && self.form == by_numpy && squares_temporary(self, operands, slot_operands))
      return elementwise_into(Op::square, operands.first(1), operands[0]);
    if (is_small) return ask_numpy(self, arguments, count, keywords);
    if (self.form == product && count == 2 && keywords == nullptr &&
        is_small_product(arguments[0], arguments[1])) {
      if (const auto here = brought(operands)) {
        const std::array<PyObject*, 2> pair{(*here)[0].get(), (*here)[1].get()};
        return ask_numpy(self, pair.data(), count, nullptr);
      }
    }
    return ask_general(self, arguments, count, keywords);
  }
  if (count == 2 && static_cast<Op>(self.op) == Op::multiply && is_value(arguments[0]) &&
      is_repeatable(arguments[1])) {
    const Ref value = value_of(arguments[0]);
    return Ref::checked(PyNumber_Multiply(arguments[1], value.get()));
  }
  if (count == 2 && (self.form == forward || self.form == reflected) && has_own_class(arguments[1]) &&
      override_of(arguments[1]) == Override::none) {
    return ask_their_class(self, arguments[0], arguments[1]);
  }
  const bool are_here = is_here(arguments[0]) && (count == 1 || is_here(arguments[1]));
  Ref result;
  try {
    result = evaluate(self, operands, slot_operands);
  } catch (const PythonError&) {
    // A number or a dtype that no engine holds: `general` says how it compares.
    const bool is_beyond = PyErr_ExceptionMatches(PyExc_OverflowError) != 0 ||
                           PyErr_ExceptionMatches(PyExc_NotImplementedError) != 0;
    if (!are_here && is_beyond && self.general != Py_None) {
      PyErr_Clear();
      return ask_general(self, arguments, count, keywords);
    }
    if (self.form != equality) throw;
    const bool is_mismatch = PyErr_ExceptionMatches(PyExc_ValueError) != 0;
    if (!are_here && is_mismatch && !unequal_shapes_raise) return unequal();
    if (!are_here || (!is_mismatch && PyErr_ExceptionMatches(PyExc_TypeError) == 0)) throw;
    PyErr_Clear();
    return ask_numpy(self, arguments, count, keywords);
  }
  if (result.get() != Py_NotImplemented) return result;
  if (are_here) return ask_numpy(self, arguments, count, keywords);
  return self.general == Py_None ? std::move(result) : ask_general(self, arguments, count, keywords);
}

PyObject* call_operator(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                        PyObject* keywords) {
  const Operator& called = *as_operator(self);
  const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
  if (count > 0 && has_own_class(arguments[0]))
    return guarded([&] { return ask_for_derived(called, arguments, count, keywords).release(); });
  if (count == 0 || !is_array(arguments[0])) {
    PyErr_Format(PyExc_TypeError, "%U() needs an array of gamelan as its first argument",
                 called.qualified_name);
    return nullptr;
  }
  const std::size_t expected =
      called.op >= 0 ? static_cast<std::size_t>(protocol::info(static_cast<Op>(called.op)).arity) : count;
  if (count != expected) {
    PyErr_Format(PyExc_TypeError, "expected %zu arguments, got %zu", expected - 1, count - 1);
    return nullptr;
  }
  return guarded([&] { return apply_operator(called, arguments, count, keywords).release(); });
}

PyObject* new_operator(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject *name = nullptr, *numpy = nullptr, *general = nullptr;
  int op = 0, form = 0;
  if (!PyArg_ParseTuple(arguments, "UiiOO", &name, &op, &form, &numpy, &general)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  Operator* made = as_operator(self);
  made->call = call_operator;
  made->op = op;
  made->form = form;
  made->row_fold = form == method ? row_fold_named(PyUnicode_AsUTF8(name)) : -1;
  made->name = Ref::borrow(name).release();
  made->numpy = Ref::borrow(numpy).release();
  made->general = Ref::borrow(general).release();
  made->qualified_name = PyUnicode_FromFormat("ndarray.%U", name);
  if (made->qualified_name != nullptr) return self;
  Py_DECREF(self);
  return nullptr;
}

void dealloc_operator(PyObject* self) {
  Operator* old = as_operator(self);
  Py_XDECREF(old->numpy);
  Py_XDECREF(old->general);
  Py_XDECREF(old->name);
  Py_XDECREF(old->qualified_name);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* array, PyObject*) {
  return array == nullptr || array == Py_None ? Ref::borrow(self).release() : PyMethod_New(self, array);
}

// The docstring of the Python function behind the operator, or NumPy's.
PyObject* doc_of(PyObject* self, void*) {
  const Operator& described = *as_operator(self);
  return PyObject_GetAttrString(described.general == Py_None ? described.numpy : described.general,
                                "__doc__");
}

PyObject* represent(PyObject* self) {
  return PyUnicode_FromFormat("<method '%U' of 'gamelan.ndarray' objects>", as_operator(self)->name);
}

// Pickles name it: gamelan.ndarray.<name>.
PyObject* reduce_operator(PyObject* self, PyObject*) {
  const Ref builtins(PyImport_ImportModule("builtins"));
  const Ref get(builtins ? PyObject_GetAttrString(builtins.get(), "getattr") : nullptr);
  return get ? Py_BuildValue("O(OO)", get.get(), local_class(), as_operator(self)->name) : nullptr;
}
PyMethodDef operator_methods[] = {{"__reduce__", reduce_operator, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

PyMemberDef operator_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Operator, call), READONLY, nullptr},
    {"__name__", T_OBJECT, offsetof(Operator, name), READONLY, nullptr},
    {"__qualname__", T_OBJECT, offsetof(Operator, qualified_name), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
// inspect.signature follows __wrapped__.
PyObject* wrapped_of(PyObject* self, void*) {
  const Operator& described = *as_operator(self);
  return Ref::borrow(described.general == Py_None ? described.numpy : described.general).release();
}
PyGetSetDef operator_getset[] = {{"__doc__", doc_of, nullptr, nullptr, nullptr},
                                 {"__wrapped__", wrapped_of, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot operator_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_operator)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_operator)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                                {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                {Py_tp_members, operator_members},
                                {Py_tp_methods, operator_methods},
                                {Py_tp_getset, operator_getset},
                                {0, nullptr}};
PyType_Spec operator_spec = {"gamelan._core.Operator", sizeof(Operator), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                             operator_slots};

}  // namespace

void set_unequal_shapes_raise(bool value) { unequal_shapes_raise = value; }

void add_operators(PyObject* module) {
  Ref type = Ref::checked(PyType_FromSpec(&operator_spec));
  for (const auto& [name, form] : {std::pair{"FORWARD", forward},
                                   {"REFLECTED", reflected},
                                   {"IN_PLACE", in_place},
                                   {"EQUALITY", equality},
                                   {"BY_NUMPY", by_numpy},
                                   {"PRODUCT", product},
                                   {"METHOD", method},
                                   {"BY_GENERAL", by_general}}) {
    if (PyModule_AddIntConstant(module, name, form) < 0) throw PythonError();
  }
  if (PyModule_AddObjectRef(module, "Operator", type.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
