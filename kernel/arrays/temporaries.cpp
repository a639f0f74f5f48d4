// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/temporaries.hpp"
// (numpy_api.hpp first)
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace gamelan::kernel {
namespace {

using protocol::Op;

constexpr npy_intp least_bytes = npy_intp{1} << 18;  // below, looking at the stack costs more than it saves

// Operations whose result has the dtype of operands of one dtype: of numbers with a fraction, and of others.
bool keeps_dtype(Op op, int type) {
  const bool has_fraction = PyTypeNum_ISFLOAT(type) || PyTypeNum_ISCOMPLEX(type);
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
      return has_fraction || PyTypeNum_ISINTEGER(type);
    case Op::divide:
      return has_fraction;
    case Op::negative:
      return has_fraction || PyTypeNum_ISSIGNED(type);
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return PyTypeNum_ISINTEGER(type) || type == NPY_BOOL;
    default:
      return false;
  }
}

bool is_temporary(PyObject* object) {
  if (Py_TYPE(object) != reinterpret_cast<PyTypeObject*>(local_class())) return false;
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
#if PY_VERSION_HEX >= 0x030E0000
  if (PyUnstable_Object_IsUniqueReferencedTemporary(object) == 0) return false;
#else
  if (Py_REFCNT(object) != 1) return false;
#endif
  constexpr int needed = NPY_ARRAY_OWNDATA | NPY_ARRAY_BEHAVED;
  return PyArray_CHKFLAGS(array, needed) && !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEBACKIFCOPY) &&
         PyArray_ISNBO(PyArray_DESCR(array)->byteorder) && PyArray_NBYTES(array) >= least_bytes;
}

// True when the result of `array` and `other` has the dtype and the shape of `array`.
bool gives_itself(PyArrayObject* array, PyObject* other) {
  if (PyArray_CheckExact(other) || is_local(other)) {
    auto* const second = reinterpret_cast<PyArrayObject*>(other);
    const int surplus = PyArray_NDIM(array) - PyArray_NDIM(second);
    if (surplus < 0 || PyArray_NDIM(second) == 0 || PyArray_TYPE(second) != PyArray_TYPE(array)) return false;
    for (int dim = 0; dim < PyArray_NDIM(second); ++dim) {
      const npy_intp extent = PyArray_DIM(second, dim);
      if (extent != 1 && extent != PyArray_DIM(array, dim + surplus)) return false;
    }
    return true;
  }
  const int type = PyArray_TYPE(array);
  if (PyFloat_Check(other)) return type == NPY_DOUBLE || type == NPY_CDOUBLE;
  return PyLong_CheckExact(other) && (type == NPY_DOUBLE || type == NPY_CDOUBLE) &&
         std::abs(PyLong_AsLongLong(other)) < (1LL << 53) && PyErr_Occurred() == nullptr;
}

#if PY_VERSION_HEX < 0x030E0000
enum class Code { ours, pythons, evaluation, others };

Code code_at(void* address) {
  static auto* const known =
      new std::unordered_map<void*, Code>;  // never destroyed: Python ends before statics
  if (const auto found = known->find(address); found != known->end()) return found->second;
  static const auto library_of = [](void* place) {
    Dl_info info{};
    return dladdr(place, &info) == 0 ? nullptr : info.dli_fbase;
  };
  static void* const ours = library_of(reinterpret_cast<void*>(&is_temporary));
  static void* const pythons = library_of(reinterpret_cast<void*>(&PyNumber_Add));
  Dl_info info{};
  Code code = Code::others;
  if (dladdr(address, &info) != 0) {
    if (info.dli_sname != nullptr && std::strcmp(info.dli_sname, "_PyEval_EvalFrameDefault") == 0)
      code = Code::evaluation;
    else if (info.dli_fbase == ours)
      code = Code::ours;
    else if (info.dli_fbase == pythons)
      code = Code::pythons;
  }
  return known->emplace(address, code).first->second;
}

// An extension may call PyNumber_Add with an array that it holds alone and goes on to use. So between us and
// the interpreter's loop there must be nothing but Python itself.
bool is_called_by_interpreter() {
  void* addresses[16];
  const int count = backtrace(addresses, 16);
  int place = 1;  // 0 is in this function
  while (place < count && code_at(addresses[place]) == Code::ours) ++place;
  while (place < count && code_at(addresses[place]) == Code::pythons) ++place;
  return place < count && code_at(addresses[place]) == Code::evaluation;
}
#else
bool is_called_by_interpreter() { return true; }  // is_temporary has looked at the interpreter's own stack
#endif

}  // namespace

PyObject* reusable_operand(Op op, std::span<PyObject* const> operands) {
  PyObject* found = nullptr;
  for (std::size_t place = 0; place < operands.size() && found == nullptr; ++place) {
    PyObject* const operand = operands[place];
    if (!is_temporary(operand)) continue;
    auto* const array = reinterpret_cast<PyArrayObject*>(operand);
    if (!keeps_dtype(op, PyArray_TYPE(array))) continue;
    const bool fits = operands.size() == 1 || gives_itself(array, operands[1 - place]);
    if (fits) found = operand;
  }
  return found != nullptr && is_called_by_interpreter() ? found : nullptr;
}

}  // namespace gamelan::kernel
