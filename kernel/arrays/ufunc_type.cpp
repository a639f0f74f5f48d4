// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/ufunc_type.hpp"
// (Python.h first)
#include <structmember.h>

#include <cstddef>
#include <span>

#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/guarded.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

using protocol::Op;

namespace {

struct Ufunc {
  PyObject_HEAD vectorcallfunc call;
  int op, arity;
};

/// True for keywords that name an output of ours and nothing else, as loops do that make no new arrays.
bool are_one_output(PyObject* keywords, PyObject* const* values) {
  return PyTuple_GET_SIZE(keywords) == 1 &&
         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "out") == 0 && is_array(values[0]);
}

PyObject* call_ufunc(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                     PyObject* keywords) {
  const auto* ufunc = reinterpret_cast<Ufunc*>(self);
  const auto count = PyVectorcall_NARGS(flagged_count);
  const bool has_output = keywords != nullptr && are_one_output(keywords, arguments + count);
  if ((keywords == nullptr || has_output) && count == ufunc->arity) {
    const std::span<PyObject* const> operands(arguments, static_cast<std::size_t>(count));
    PyObject* result = guarded([&] {
      const Op op = static_cast<Op>(ufunc->op);
      return (has_output ? elementwise_into(op, operands, arguments[count]) : elementwise(op, operands))
          .release();
    });
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  const UserCall lives;
  const Ref general(PyObject_GetAttrString(self, "_call"));
  return general ? PyObject_Vectorcall(general.get(), arguments, static_cast<std::size_t>(count), keywords)
                 : nullptr;
}

PyObject* new_ufunc(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  auto* ufunc = reinterpret_cast<Ufunc*>(self);
  if (self == nullptr) return nullptr;
  ufunc->call = call_ufunc;
  if (PyArg_ParseTuple(arguments, "ii", &ufunc->op, &ufunc->arity)) return self;
  Py_DECREF(self);
  return nullptr;
}

PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Ufunc, call), READONLY, nullptr},
    {"_op", T_INT, offsetof(Ufunc, op), READONLY, "Number of its row in the op table."},
    {"nin", T_INT, offsetof(Ufunc, arity), READONLY, "Number of operands."},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot ufunc_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_ufunc)},
                             {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                             {Py_tp_members, ufunc_members},
                             {0, nullptr}};
PyType_Spec ufunc_spec = {"gamelan._core.Ufunc", sizeof(Ufunc), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, ufunc_slots};

}  // namespace

void add_ufunc_type(PyObject* module) {
  Ref type = Ref::checked(PyType_FromSpec(&ufunc_spec));
  if (PyModule_AddObjectRef(module, "Ufunc", type.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
