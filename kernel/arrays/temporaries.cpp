// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/temporaries.hpp"
// (numpy_api.hpp first)
#include <dlfcn.h>
#include <unwind.h>

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
    case Op::square:
      return PyTypeNum_ISFLOAT(type);
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
  const Py_ssize_t weak_references = Py_TYPE(object)->tp_weaklistoffset;
  if (weak_references > 0 &&
      *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + weak_references) != nullptr)
    return false;
  constexpr int needed = NPY_ARRAY_OWNDATA | NPY_ARRAY_BEHAVED;
  return PyArray_CHKFLAGS(array, needed) && !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEBACKIFCOPY) &&
         PyArray_ISNBO(PyArray_DESCR(array)->byteorder) && PyArray_NBYTES(array) >= least_bytes;
}

bool is_exact_as_double(PyObject* number) {
  if (!PyLong_CheckExact(number)) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  return overflow == 0 && value > -(1LL << 53) && value < (1LL << 53);
}

bool is_array_here(PyObject* object) { return PyArray_CheckExact(object) || is_local(object); }

// True when the result of `array` and `other` has the dtype and the shape of `array`.
bool gives_itself(PyArrayObject* array, PyObject* other) {
  if (is_array_here(other)) {
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
  if (PyFloat_Check(other)) return type == NPY_DOUBLE;
  return PyLong_CheckExact(other) && type == NPY_DOUBLE && std::abs(PyLong_AsLongLong(other)) < (1LL << 53) &&
         PyErr_Occurred() == nullptr;
}

// NumPy's loops for complex numbers round in another way when they write into an operand. So there the rule
// is NumPy's to the letter, or the last bits would be others than those of its own arrays.
bool numpy_would_reuse(PyArrayObject* array, PyObject* other) {
  if (!is_array_here(other))
    return PyFloat_Check(other) || PyComplex_Check(other) || is_exact_as_double(other);
  auto* const second = reinterpret_cast<PyArrayObject*>(other);
  return PyArray_SAMESHAPE(array, second) &&
         PyArray_CanCastSafely(PyArray_TYPE(second), PyArray_TYPE(array)) != 0;
}

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

// An extension may call PyNumber_Add with an array that it holds alone and goes on to use, and so may a
// function of Python's (`operator.add(*pair)`). So it must be a slot that calls us, and between the slot and
// the interpreter's loop there must be PyNumber_Add alone. (PyNumber_Negative jumps to its slot.)
struct Walk {
  Code last = Code::ours;
  int pythons = 0, most_pythons;
};

bool is_called_by_interpreter(int frames) {
  Walk walk{.most_pythons = frames};
  const auto look = [](_Unwind_Context* context, void* found) {
    Walk& before = *static_cast<Walk*>(found);
    const Code code = code_at(reinterpret_cast<void*>(_Unwind_GetIP(context)));
    const bool is_in_order = code != Code::ours || before.last == Code::ours;
    before.pythons += code == Code::pythons;
    before.last = is_in_order && before.pythons <= before.most_pythons ? code : Code::others;
    const bool goes_on = before.last == Code::ours || before.last == Code::pythons;
    return goes_on ? _URC_NO_REASON : _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &walk);
  return walk.last == Code::evaluation;
}

}  // namespace

std::size_t reusable_operand(Op op, std::span<PyObject* const> operands, int slot_operands) {
  if (slot_operands == 0) return operands.size();
  for (std::size_t place = 0; place < operands.size(); ++place) {
    if (!is_temporary(operands[place])) continue;
    auto* const array = reinterpret_cast<PyArrayObject*>(operands[place]);
    if (!keeps_dtype(op, PyArray_TYPE(array))) continue;
    if (PyArray_ISCOMPLEX(array) && operands.size() == 2) {
      const bool is_commutative = op == Op::add || op == Op::multiply;
      if ((place == 1 && !is_commutative) || !numpy_would_reuse(array, operands[1 - place])) continue;
    } else if (operands.size() == 2 && !gives_itself(array, operands[1 - place])) {
      continue;
    }
    return is_called_by_interpreter(slot_operands - 1) ? place : operands.size();
  }
  return operands.size();
}

}  // namespace gamelan::kernel
