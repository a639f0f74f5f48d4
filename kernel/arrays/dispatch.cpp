// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/dispatch.hpp"

#include <algorithm>
#include <array>

#include "kernel/arrays/bool_bytes.hpp"
#include "kernel/arrays/broadcast.hpp"
#include "kernel/arrays/brought.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/placement.hpp"
#include "kernel/arrays/promotion.hpp"
#include "kernel/arrays/small/few_numbers.hpp"
#include "kernel/arrays/small/plain_view.hpp"
#include "kernel/arrays/small/short_rows.hpp"
#include "kernel/arrays/values.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"
#include "protocol/check.hpp"

namespace gamelan::kernel {

using protocol::Command;
using protocol::Dtype;
using protocol::Op;
using Kind = Operand::Kind;

namespace {

std::vector<PyObject*> ufuncs;  // immortal: the module is never unloaded

// NumPy 2 leaves whole numbers as they are.
bool rounds_nothing(Op op, Dtype loop) {
  const char kind = protocol::info(loop).kind;
  return (op == Op::floor || op == Op::ceil || op == Op::trunc) && kind != 'f' && kind != 'c';
}

// Records op over classified operands; makes `out` when it is null.
Ref record_elementwise(Op op, Dtype loop, Dtype result_dtype, const Operands& operands, PyObject* out) {
  std::vector<npy_intp> extents = broadcast_extents(operands);
  Command command;
  command.op = rounds_nothing(op, loop) ? Op::copy : op;
  command.loop = loop;
  for (const Operand& operand : operands) {
    if (operand.kind == Kind::distributed) (*operand.array()->b->session)->require_current();
  }
  Ref result = Ref::borrow(out);
  if (out == nullptr) {
    result =
        new_distributed(current_session(), result_dtype, static_cast<int>(extents.size()), extents.data());
    command.creates = true;
  } else {
    PyArrayObject* target = data_of(as_array(out));
    require_writeable(target, "output array is read-only");
    require_same_extents(target, extents);
    extents.assign(PyArray_DIMS(target), PyArray_DIMS(target) + PyArray_NDIM(target));
  }
  const Array* target = as_array(result.get());
  command.out = view_of(target);
  const bool is_of_integers =
      loop == Dtype::float64 && result_dtype == Dtype::bool_ &&
      std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
        return operand.kind != Kind::number && protocol::info(operand.dtype).kind != 'f';
      });
  std::array<Ref, 3> keep;
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const bool is_condition = op == Op::where && index == 0;
    if (is_of_integers && operands[index].kind == Kind::number)
      command.in.push_back(to_scalar(beside_integers(operands[index]).get(), loop));
    else
      command.in.push_back(
          command_operand(operands[index], is_condition ? Dtype::bool_ : loop, extents, keep[index]));
  }
  record_write(target, std::move(command));
  return result;
}

// The sign of complex numbers is that of their real part in NumPy 1, and x / |x| in NumPy 2.
bool is_direction(Op op, Dtype loop) {
  return op == Op::sign && protocol::info(loop).kind == 'c' && are_numbers_weak();
}

Ref direction_of(PyObject* x) {
  const Ref modulus = elementwise(Op::absolute, std::array{x});
  const Ref zero = Ref::checked(PyLong_FromLong(0)), one = Ref::checked(PyLong_FromLong(1));
  const Ref is_zero = elementwise(Op::equal, std::array{modulus.get(), zero.get()});
  const Ref divisor = elementwise(Op::where, std::array{is_zero.get(), one.get(), modulus.get()});
  return elementwise(Op::divide, std::array{x, divisor.get()});
}

std::vector<PyObject*> borrowed(const std::vector<Ref>& references) {
  std::vector<PyObject*> objects;
  for (const Ref& each : references) objects.push_back(each.get());
  return objects;
}

Operands classify_all(std::span<PyObject* const> inputs) {
  Operands operands;
  operands.reserve(inputs.size());
  for (PyObject* input : inputs) operands.push_back(classify(input));
  return operands;
}

[[noreturn]] void refuse_foreign() {
  PyErr_SetString(PyExc_TypeError, "expected an array or a number");
  throw PythonError();
}

bool any_of_kind(const Operands& operands, Kind kind) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Operand& operand) { return operand.kind == kind; });
}

// NumPy raises for any negative exponent of integers. So an exponent on the engines is checked first, which
// takes one round trip.
void check_integer_power(Op op, Dtype loop, const Operands& operands) {
  const char kind = protocol::info(loop).kind;
  if (op != Op::power || kind != 'i') return;
  const Operand& exponent = operands[1];
  bool has_negative = false;
  if (exponent.kind == Kind::number) {
    has_negative = is_negative(exponent.object.get());
  } else if (protocol::info(exponent.dtype).kind == 'i') {
    Ref answer = Ref::checked(PyObject_CallOneArg(negative_hook.get(), exponent.object.get()));
    has_negative = PyObject_IsTrue(answer.get()) == 1;
  }
  if (!has_negative) return;
  PyErr_SetString(PyExc_ValueError, "Integers to negative integer powers are not allowed.");
  throw PythonError();
}

// NumPy gets plain arrays: of a derived class it would ask three times what to do.
Ref call_numpy(Op op, std::span<PyObject* const> inputs, PyObject* out) {
  count_host_op();
  if (Ref result = of_short_rows(op, inputs, out)) return result;
  std::array<NumpysArgument, 4> theirs;
  std::array<PyObject*, 4> arguments;
  std::size_t count = 0;
  for (PyObject* input : inputs) {
    theirs[count] = NumpysArgument(input);
    arguments[count] = theirs[count].get();
    ++count;
  }
  if (out != nullptr) {
    if (out == inputs.front()) {  // of an operator in place
      arguments[count] = arguments[0];
    } else {
      theirs[count] = NumpysArgument(out);
      arguments[count] = theirs[count].get();
    }
    ++count;
  }
  return Ref::checked(
      PyObject_Vectorcall(ufuncs[static_cast<std::size_t>(op)], arguments.data(), count, nullptr));
}

// When the class of an operand computes ufuncs itself, NumPy's ufunc is called: it asks all such classes in
// its order, among them ours, which leaves it to them. Returns NotImplemented when no operand is like that,
// or one refuses ufuncs: Python then asks the operators of the classes.
Ref ask_others(Op op, std::span<PyObject* const> inputs, PyObject* out) {
  bool is_decided = false;
  for (PyObject* input : inputs) {
    const Override answer = override_of(input);
    if (answer == Override::refuses) return Ref::borrow(Py_NotImplemented);
    is_decided |= answer == Override::decides;
  }
  if (!is_decided || op == Op::where) return Ref::borrow(Py_NotImplemented);
  std::vector<PyObject*> arguments(inputs.begin(), inputs.end());
  Ref keywords;
  if (out != nullptr) {
    arguments.push_back(out);
    keywords = Ref::checked(Py_BuildValue("(s)", "out"));
  }
  return Ref::checked(PyObject_Vectorcall(ufuncs[static_cast<std::size_t>(op)], arguments.data(),
                                          inputs.size(), keywords.get()));
}

// Dtypes that no engine holds are left to NumPy, if no other operand is distributed.
bool are_beyond_engines(std::span<PyObject* const> inputs) {
  return std::none_of(inputs.begin(), inputs.end(), is_distributed) &&
         std::any_of(inputs.begin(), inputs.end(), is_beyond_engines);
}

// True for arrays with a class of their own that leaves ufuncs to NumPy. NumPy then gives the result that
// class, and more (a mask).
bool have_own_class(std::span<PyObject* const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](PyObject* input) {
    return has_own_class(numpys(input)) && override_of(numpys(input)) == Override::none;
  });
}

// NumPy's result for such arrays; null beside a distributed array, where they are plain data. (A mask is
// refused, because it would be lost.)
Ref by_their_class(Op op, std::span<PyObject* const> inputs) {
  if (std::none_of(inputs.begin(), inputs.end(), is_distributed))
    return adopt_result(call_numpy(op, inputs, nullptr).get());
  for (PyObject* input : inputs) {
    if (!has_own_class(numpys(input)) || PyObject_HasAttrString(numpys(input), "_mask") == 0) continue;
    PyErr_SetString(PyExc_NotImplementedError,
                    "a masked array beside a distributed one is not implemented: its mask would be lost; "
                    "bring the other here (numpy.asarray(x)), or give the data and the mask apart");
    throw PythonError();
  }
  return {};
}

}  // namespace

constinit Hook negative_hook;

void set_ufuncs(PyObject* list) {
  for (Py_ssize_t index = 0; index < PyList_Size(list); ++index) {
    PyObject* ufunc = PyList_GetItem(list, index);
    Py_INCREF(ufunc);
    ufuncs.push_back(ufunc);
  }
}

Ref wrap_result(PyObject* value) {
  if (!PyArray_Check(value)) return Ref::borrow(value);
  auto* array = reinterpret_cast<PyArrayObject*>(value);
  const bool is_for_engines =
      PyArray_SIZE(array) >= threshold() && !has_own_class(value) && dtype_of(PyArray_DESCR(array));
  return is_for_engines ? upload(array) : adopt(value);
}

Ref elementwise(Op op, std::span<PyObject* const> inputs) {
  if (Ref result = of_few_numbers(op, inputs, nullptr)) return adopt(result.get());
  if (is_plainly_local(inputs)) return adopt_result(call_numpy(op, inputs, nullptr).get());
  if (would_be_local(inputs)) {
    if (const auto here = brought(inputs)) {
      const std::vector<PyObject*> objects = borrowed(*here);
      return adopt_result(call_numpy(op, objects, nullptr).get());
    }
  }
  if (are_beyond_engines(inputs)) return ask_others(op, inputs, nullptr);
  if (have_own_class(inputs)) {
    Ref result = by_their_class(op, inputs);
    if (result) return result;
  }
  Operands operands = classify_all(inputs);
  if (any_of_kind(operands, Kind::foreign)) return ask_others(op, inputs, nullptr);
  if (!any_of_kind(operands, Kind::distributed)) {
    const std::vector<npy_intp> extents = broadcast_extents(operands);
    if (product(extents) < threshold() || !any_of_kind(operands, Kind::local)) {
      std::vector<PyObject*> objects;
      for (const Operand& operand : operands) objects.push_back(operand.object.get());
      return adopt_result(call_numpy(op, objects, nullptr).get());
    }
  }
  const Resolution resolution = resolve(op, operands, nullptr);
  if (is_direction(op, resolution.loop)) return direction_of(inputs.front());
  check_integer_power(op, resolution.loop, operands);
  Ref result = record_elementwise(op, resolution.loop, resolution.result, operands, nullptr);
  // A 0-d result of a universal function is a value, as NumPy's scalars are; that of `where` is an array.
  PyArrayObject* proxy = data_of(as_array(result.get()));
  if (PyArray_NDIM(proxy) == 0 && op != Op::where) PyArray_CLEARFLAGS(proxy, NPY_ARRAY_WRITEABLE);
  return result;
}

Ref elementwise_into(Op op, std::span<PyObject* const> inputs, PyObject* out) {
  if (Ref result = of_few_numbers(op, inputs, out)) return result;
  const bool is_here = !is_distributed(out);
  if (is_here && is_plainly_local(inputs)) {
    call_numpy(op, inputs, out);
    return Ref::borrow(out);
  }
  if (is_here && are_beyond_engines(inputs)) return ask_others(op, inputs, out);
  Operands operands = classify_all(inputs);
  if (any_of_kind(operands, Kind::foreign)) return ask_others(op, inputs, out);
  if (is_here) {
    // The target is small and an operand is distributed: the operands are fetched, and NumPy applies its own
    // rules.
    require_same_extents(reinterpret_cast<PyArrayObject*>(numpys(out)),
                         broadcast_extents(operands));  // before anything large is sent
    std::vector<Ref> here;
    std::vector<PyObject*> objects;
    for (Operand& operand : operands) {
      if (operand.kind == Kind::distributed)
        here.push_back(std::move(fetch({operand.object.get()}).front()));
      else
        here.push_back(Ref::borrow(operand.object.get()));
      objects.push_back(here.back().get());
    }
    call_numpy(op, objects, out);
    return Ref::borrow(out);
  }
  // Checked before the loop is looked for, in NumPy's order, because it decides which error is raised.
  if (PyArray_NDIM(data_of(as_array(out))) == 0 && !PyArray_ISWRITEABLE(data_of(as_array(out)))) {
    PyErr_SetString(PyExc_TypeError, "return arrays must be of ArrayType");  // it stands for a NumPy scalar
    throw PythonError();
  }
  require_writeable(data_of(as_array(out)), "output array is read-only");
  const Dtype out_dtype = *dtype_of(PyArray_DESCR(data_of(as_array(out))));
  const Resolution resolution = resolve(op, operands, &out_dtype);
  if (is_direction(op, resolution.loop)) {
    const Ref direction = direction_of(inputs.front());
    return elementwise_into(Op::positive, std::array{direction.get()}, out);
  }
  check_integer_power(op, resolution.loop, operands);
  return record_elementwise(op, resolution.loop, resolution.result, operands, out);
}

Ref apply(Op op, Dtype loop, Dtype result, std::span<PyObject* const> inputs, PyObject* out) {
  if (is_direction(op, loop) && out == nullptr) return direction_of(inputs.front());
  const Operands operands = classify_all(inputs);
  if (any_of_kind(operands, Kind::foreign)) refuse_foreign();
  return record_elementwise(op, loop, result, operands, out);
}

void record(Op op, Dtype loop, PyObject* out, bool creates, std::span<PyObject* const> inputs,
            std::vector<std::int64_t> ints, std::optional<protocol::Bytes> payload) {
  const Array* target = as_array(out);
  if (!creates) require_writeable(data_of(target), "output array is read-only");
  if (op == Op::put && !ints.empty()) write_zeros_and_ones(out);
  Command command;
  command.op = op;
  command.loop = loop;
  command.out = view_of(target);
  command.creates = creates;
  command.ints = std::move(ints);
  std::vector<Ref> keep(inputs.size());
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const Operand operand = classify(inputs[index]);
    if (operand.kind == Kind::distributed) (*operand.array()->b->session)->require_current();
    if (operand.kind == Kind::foreign) refuse_foreign();
    std::vector<npy_intp> extents;
    if (PyArrayObject* source = operand.shape_source())
      extents.assign(PyArray_DIMS(source), PyArray_DIMS(source) + operand.dims());
    command.in.push_back(command_operand(operand, loop, extents, keep[index]));
  }
  if (!payload) return record_write(target, std::move(command));
  command.payload = 0;
  protocol::check(command, {*payload});  // here, at its line
  record_write(target, std::move(command), std::move(*payload));
}

}  // namespace gamelan::kernel
