// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/small/operator_slots.hpp"

#include <array>
#include <cstddef>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/temporaries.hpp"

namespace gamelan::kernel {
namespace {

// A slot of two operands with the methods behind it.
struct BinarySlot {
  binaryfunc PyNumberMethods::*slot;
  const char *forward, *reflected;
};
constexpr BinarySlot binary_slots[] = {
    {&PyNumberMethods::nb_add, "__add__", "__radd__"},
    {&PyNumberMethods::nb_subtract, "__sub__", "__rsub__"},
    {&PyNumberMethods::nb_multiply, "__mul__", "__rmul__"},
    {&PyNumberMethods::nb_true_divide, "__truediv__", "__rtruediv__"},
    {&PyNumberMethods::nb_floor_divide, "__floordiv__", "__rfloordiv__"},
    {&PyNumberMethods::nb_remainder, "__mod__", "__rmod__"},
    {&PyNumberMethods::nb_matrix_multiply, "__matmul__", "__rmatmul__"},
    {&PyNumberMethods::nb_and, "__and__", "__rand__"},
    {&PyNumberMethods::nb_or, "__or__", "__ror__"},
    {&PyNumberMethods::nb_xor, "__xor__", "__rxor__"},
    {&PyNumberMethods::nb_lshift, "__lshift__", "__rlshift__"},
    {&PyNumberMethods::nb_rshift, "__rshift__", "__rrshift__"},
};
struct InPlaceSlot {
  binaryfunc PyNumberMethods::*slot;
  const char* name;
};
constexpr InPlaceSlot in_place_slots[] = {
    {&PyNumberMethods::nb_inplace_add, "__iadd__"},
    {&PyNumberMethods::nb_inplace_subtract, "__isub__"},
    {&PyNumberMethods::nb_inplace_multiply, "__imul__"},
    {&PyNumberMethods::nb_inplace_true_divide, "__itruediv__"},
    {&PyNumberMethods::nb_inplace_and, "__iand__"},
    {&PyNumberMethods::nb_inplace_or, "__ior__"},
    {&PyNumberMethods::nb_inplace_xor, "__ixor__"},
};
struct UnarySlot {
  unaryfunc PyNumberMethods::*slot;
  const char* name;
};
constexpr UnarySlot unary_slots[] = {
    {&PyNumberMethods::nb_negative, "__neg__"},
    {&PyNumberMethods::nb_absolute, "__abs__"},
    {&PyNumberMethods::nb_invert, "__invert__"},
};
constexpr std::array comparison_names{"__lt__", "__le__", "__eq__",
                                      "__ne__", "__gt__", "__ge__"};  // by Py_LT, ...

// A method, and how it is called: directly, because between us and the interpreter there must be no function
// of Python's that is not the operator's own (temporaries.cpp).
struct Method {
  PyObject* callable;
  vectorcallfunc call;

  PyObject* operator()(PyObject* array, PyObject* other) const {
    const std::array<PyObject*, 2> arguments{array, other};
    return call(callable, arguments.data(), arguments.size(), nullptr);
  }
};

// The methods behind the slots, for ever: the class is never unloaded.
struct Pair {
  Method forward, reflected;
};
std::array<Pair, std::size(binary_slots)> pairs{};
Pair power{};
std::array<Method, std::size(in_place_slots)> in_place{};
std::array<Method, std::size(unary_slots)> unary{};
std::array<Method, comparison_names.size()> comparisons{};

// Python calls it for either operand. (Of two it asks the one of a derived class first, by the slot of that.)
template <std::size_t place>
PyObject* call_binary(PyObject* left, PyObject* right) {
  const SlotCall call(2);
  const bool is_forward = reinterpret_cast<PyObject*>(Py_TYPE(left)) == local_class();
  return is_forward ? pairs[place].forward(left, right) : pairs[place].reflected(right, left);
}

// pow(x, y, modulus) asks the first operand alone.
PyObject* call_power(PyObject* left, PyObject* right, PyObject* modulus) {
  const SlotCall call(2);
  const bool is_forward = reinterpret_cast<PyObject*>(Py_TYPE(left)) == local_class();
  if (modulus == Py_None) return is_forward ? power.forward(left, right) : power.reflected(right, left);
  if (!is_forward) Py_RETURN_NOTIMPLEMENTED;
  const std::array<PyObject*, 3> arguments{left, right, modulus};
  return power.forward.call(power.forward.callable, arguments.data(), arguments.size(), nullptr);
}

template <std::size_t place>
PyObject* call_in_place(PyObject* array, PyObject* other) {
  return in_place[place](array, other);
}

template <std::size_t place>
PyObject* call_unary(PyObject* array) {
  const SlotCall call(1);
  return unary[place].call(unary[place].callable, &array, 1, nullptr);
}

PyObject* compare(PyObject* array, PyObject* other, int how) {
  return comparisons[static_cast<std::size_t>(how)](array, other);
}

Method method(const char* name) {
  PyObject* const callable = Ref::checked(PyObject_GetAttrString(local_class(), name)).release();
  const vectorcallfunc call = PyVectorcall_Function(callable);
  return {callable, call == nullptr ? PyObject_Vectorcall : call};
}

template <std::size_t... place>
void fill_binary(PyNumberMethods& numbers, std::index_sequence<place...>) {
  ((pairs[place] = {method(binary_slots[place].forward), method(binary_slots[place].reflected)}), ...);
  ((numbers.*binary_slots[place].slot = call_binary<place>), ...);
}
template <std::size_t... place>
void fill_in_place(PyNumberMethods& numbers, std::index_sequence<place...>) {
  ((in_place[place] = method(in_place_slots[place].name)), ...);
  ((numbers.*in_place_slots[place].slot = call_in_place<place>), ...);
}
template <std::size_t... place>
void fill_unary(PyNumberMethods& numbers, std::index_sequence<place...>) {
  ((unary[place] = method(unary_slots[place].name)), ...);
  ((numbers.*unary_slots[place].slot = call_unary<place>), ...);
}

}  // namespace

void fill_operator_slots() {
  auto* const type = reinterpret_cast<PyTypeObject*>(local_class());
  for (std::size_t how = 0; how < comparisons.size(); ++how) comparisons[how] = method(comparison_names[how]);
  type->tp_richcompare = compare;
  PyNumberMethods& numbers = *type->tp_as_number;
  power = {method("__pow__"), method("__rpow__")};
  numbers.nb_power = call_power;
  fill_binary(numbers, std::make_index_sequence<std::size(binary_slots)>());
  fill_in_place(numbers, std::make_index_sequence<std::size(in_place_slots)>());
  fill_unary(numbers, std::make_index_sequence<std::size(unary_slots)>());
}

}  // namespace gamelan::kernel
