// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/operand.hpp"

#include <cmath>
#include <cstring>

#include "kernel/arrays/bool_bytes.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/values.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Scalar;

namespace {

bool numbers_are_weak = false;

// Classes beside those of values below. With weak numbers (NEP 50) a number of NumPy promotes like an array.
constexpr int class_of_numpys = 12;
// Integers of Python beyond all dtypes: NumPy 2 raises OverflowError, except in comparisons and beside
// floats.
constexpr int class_above_all = 13, class_below_all = 14;

// The limits of numpy.min_scalar_type, which decide what a number promotes to in NumPy 1.x, and in NumPy 2
// whether a dtype holds an integer.
int class_of_signed(long long value) {
  if (value < 0) return value >= -128 ? 8 : value >= -32768 ? 9 : value >= -2147483648LL ? 10 : 11;
  return value <= 127            ? 0
         : value <= 255          ? 1
         : value <= 32767        ? 2
         : value <= 65535        ? 3
         : value <= 2147483647LL ? 4
         : value <= 4294967295LL ? 5
                                 : 6;
}
int class_of_unsigned(unsigned long long value) {
  return value > 9223372036854775807ULL ? 7 : class_of_signed(static_cast<long long>(value));
}
int class_of_float(double value) {
  return !std::isfinite(value) || std::fabs(value) < 65000 ? 0 : std::fabs(value) < 3.4e38 ? 1 : 2;
}
int class_of_complex(double real, double imag) {
  return std::fabs(real) < 3.4e38 && std::fabs(imag) < 3.4e38 ? 0 : 2;
}

template <class T>
Scalar scalar_of(Dtype dtype, T value) {
  Scalar scalar{dtype, {}};
  std::memcpy(scalar.bytes.data(), &value, sizeof value);
  return scalar;
}

void classify_python_int(Operand& operand, PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    operand.dtype = Dtype::int64;
    operand.value_class = class_of_signed(value);
    return;
  }
  if (overflow > 0) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) {
      operand.dtype = Dtype::uint64;
      operand.value_class = class_of_unsigned(wide);
      return;
    }
    PyErr_Clear();
  }
  if (numbers_are_weak) {
    operand.dtype = Dtype::int64;
    operand.value_class = overflow > 0 ? class_above_all : class_below_all;
    return;
  }
  const Ref descr = Ref::checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_OBJECT)));
  refuse_dtype(reinterpret_cast<PyArray_Descr*>(descr.get()));  // what NumPy makes of such a number
}

// A 0-d NumPy array: its value decides the class.
void classify_zero_dim(Operand& operand, PyArrayObject* array) {
  Ref item = Ref::checked(PyArray_GETITEM(array, PyArray_BYTES(array)));
  const char kind = protocol::info(operand.dtype).kind;
  if (kind == 'i') operand.value_class = class_of_signed(PyLong_AsLongLong(item.get()));
  if (kind == 'u') operand.value_class = class_of_unsigned(PyLong_AsUnsignedLongLong(item.get()));
  if (kind == 'f') operand.value_class = class_of_float(PyFloat_AsDouble(item.get()));
  if (kind == 'c') {
    const Py_complex value = PyComplex_AsCComplex(item.get());
    operand.value_class = class_of_complex(value.real, value.imag);
  }
}

Operand classify_numpy(Ref object) {
  Operand operand;
  PyArrayObject* array = as_numpy(object);
  if (!PyArray_ISNBO(PyArray_DESCR(array)->byteorder)) {
    Ref native = Ref::checked(
        reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE)));
    object = Ref::checked(
        PyArray_FromArray(array, reinterpret_cast<PyArray_Descr*>(native.release()), NPY_ARRAY_DEFAULT));
    array = as_numpy(object);
  }
  const auto dtype = dtype_of(PyArray_DESCR(array));
  if (!dtype) refuse_dtype(PyArray_DESCR(array));
  operand.dtype = *dtype;
  operand.kind = PyArray_NDIM(array) == 0 ? Operand::Kind::number : Operand::Kind::local;
  if (operand.kind == Operand::Kind::number) {
    if (numbers_are_weak)
      operand.value_class = class_of_numpys;
    else
      classify_zero_dim(operand, array);
  }
  operand.object = std::move(object);
  return operand;
}

}  // namespace

constinit Hook coerce_hook;

void set_numbers_are_weak(bool value) { numbers_are_weak = value; }
bool are_numbers_weak() { return numbers_are_weak; }

Ref beside_integers(const Operand& operand) {
  PyObject* const number = operand.object.get();
  if (!numbers_are_weak || !PyLong_CheckExact(number)) return Ref::borrow(number);
  int overflow = 0;
  static_cast<void>(PyLong_AsLongLongAndOverflow(number, &overflow));
  return overflow == 0 ? Ref::borrow(number) : Ref::checked(PyFloat_FromDouble(overflow * HUGE_VAL));
}

Override override_of(PyObject* object) {
  if (PyArray_CheckExact(object) || is_array(object)) return Override::none;
  static PyObject* const numpys =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyArray_Type), "__array_ufunc__");
  const Ref method(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__array_ufunc__"));
  if (!method) PyErr_Clear();
  if (!method || method.get() == numpys) return Override::none;
  return method.get() == Py_None ? Override::refuses : Override::decides;
}

Operand classify(PyObject* object) {
  Operand operand;
  if (is_local(object)) return classify_numpy(Ref::borrow(object));
  if (is_array(object)) {
    const Array* array = as_array(object);
    if (array->b == nullptr) return classify_numpy(Ref::borrow(array->a));
    operand.kind = Operand::Kind::distributed;
    operand.dtype = *dtype_of(PyArray_DESCR(data_of(array)));
    operand.object = with_zeros_and_ones(Ref::borrow(object));
    return operand;
  } else if (PyFloat_CheckExact(object)) {
    operand.kind = Operand::Kind::number;
    operand.dtype = Dtype::float64;
    operand.value_class = class_of_float(PyFloat_AS_DOUBLE(object));
  } else if (PyBool_Check(object)) {
    operand.kind = Operand::Kind::number;
    operand.dtype = Dtype::bool_;
  } else if (numbers_are_weak ? PyLong_CheckExact(object) : PyLong_Check(object)) {
    operand.kind = Operand::Kind::number;
    classify_python_int(operand, object);
  } else if (PyComplex_CheckExact(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    operand.kind = Operand::Kind::number;
    operand.dtype = Dtype::complex128;
    operand.value_class = class_of_complex(value.real, value.imag);
  } else if (PyArray_Check(object)) {
    if (override_of(object) != Override::none) return operand;
    return classify_numpy(Ref::borrow(object));
  } else if (PyArray_IsScalar(object, Generic)) {
    return classify_numpy(Ref::checked(PyArray_FromScalar(object, nullptr)));
  } else {
    Ref coerced = Ref::checked(PyObject_CallOneArg(coerce_hook.get(), object));
    if (coerced.get() == Py_NotImplemented) return operand;
    return classify(coerced.get());
  }
  operand.object = Ref::borrow(object);
  return operand;
}

Operand fetched(const Operand& operand) {
  return classify_numpy(Ref::checked(PyArray_FromScalar(value_of(operand.object.get()).get(), nullptr)));
}

Scalar to_scalar(PyObject* number, Dtype dtype) {
  if (PyFloat_CheckExact(number)) {
    const double value = PyFloat_AS_DOUBLE(number);
    if (dtype == Dtype::float64) return scalar_of(dtype, value);
    if (dtype == Dtype::float32) return scalar_of(dtype, static_cast<float>(value));
    if (dtype == Dtype::complex128) return scalar_of(dtype, std::array{value, 0.0});
  } else if (PyLong_CheckExact(number)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow == 0 && dtype == Dtype::int64) return scalar_of(dtype, value);
    if (overflow == 0 && dtype == Dtype::float64) return scalar_of(dtype, static_cast<double>(value));
  }
  Ref source = Ref::checked(PyArray_FROM_O(number));
  Ref target = Ref::checked(PyArray_SimpleNew(0, nullptr, type_number(dtype)));
  if (PyArray_CopyInto(as_numpy(target), as_numpy(source)) < 0) throw PythonError();
  Scalar scalar{dtype, {}};
  std::memcpy(scalar.bytes.data(), PyArray_DATA(as_numpy(target)), protocol::size_of(dtype));
  if (dtype == Dtype::bool_ && scalar.bytes[0] != std::byte{0})
    scalar.bytes[0] = std::byte{1};  // NumPy copies any byte
  return scalar;
}

bool is_negative(PyObject* number) {
  Ref zero = Ref::checked(PyLong_FromLong(0));
  const int less = PyObject_RichCompareBool(number, zero.get(), Py_LT);
  if (less < 0) throw PythonError();
  return less == 1;
}

}  // namespace gamelan::kernel
