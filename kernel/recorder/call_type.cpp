// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/call_type.hpp"
// (Python.h first)
#include <structmember.h>

#include <cstddef>
#include <string_view>

#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

namespace {

struct Call {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* theirs;  // NumPy's function that leaves objects of other libraries to their own method, or null
  SmallRule small;
  PyObject* names;  // its __dict__: what functools.update_wrapper writes
  PyObject* weak_references;
};

Shortcut shortcut = nullptr;

Call* as_call(PyObject* self) { return reinterpret_cast<Call*>(self); }

// True for an object of another library that computes ufuncs itself (a Series of pandas) and has the method.
// An interrupt that comes while it is asked stays set.
bool has_own_method(PyObject* object, PyObject* function) {
  PyTypeObject* const type = Py_TYPE(object);
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 || std::string_view(type->tp_name).starts_with("gamelan."))
    return false;
  auto* const kind = reinterpret_cast<PyObject*>(type);
  const Ref computes(PyObject_GetAttrString(kind, "__array_ufunc__"));
  const Ref name(computes && PyFunction_Check(computes.get()) ? PyObject_GetAttrString(function, "__name__")
                                                              : nullptr);
  const Ref method(name ? PyObject_GetAttr(kind, name.get()) : nullptr);
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) != 0) PyErr_Clear();
  return static_cast<bool>(method);
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t flagged_count, PyObject* keywords) {
  PyObject* const theirs = as_call(self)->theirs;
  if (theirs != nullptr && PyVectorcall_NARGS(flagged_count) > 0) {
    if (has_own_method(arguments[0], theirs))
      return PyObject_Vectorcall(theirs, arguments, flagged_count, keywords);
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  if (as_call(self)->small.numpys != nullptr && shortcut != nullptr) {
    PyObject* const result = shortcut(as_call(self)->small, arguments, flagged_count, keywords);
    if (result != nullptr) return result;
    // NumPy 1 does not know some arguments of NumPy 2, which the function does.
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) return nullptr;
    PyErr_Clear();
  }
  const UserCall lives;
  return PyObject_Vectorcall(as_call(self)->function, arguments, flagged_count, keywords);
}

PyObject* new_call(PyTypeObject* type, PyObject* arguments, PyObject*) {
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(arguments, "O", &function)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as_call(self)->call = call;
  as_call(self)->function = Py_NewRef(function);
  return self;
}

int traverse_call(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_call(self)->function);
  Py_VISIT(as_call(self)->theirs);
  Py_VISIT(as_call(self)->small.numpys);
  Py_VISIT(as_call(self)->small.dear);
  Py_VISIT(as_call(self)->names);
  return 0;
}

int clear_call(PyObject* self) {
  Py_CLEAR(as_call(self)->function);
  Py_CLEAR(as_call(self)->theirs);
  Py_CLEAR(as_call(self)->small.numpys);
  Py_CLEAR(as_call(self)->small.dear);
  Py_CLEAR(as_call(self)->names);
  return 0;
}

void dealloc_call(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (as_call(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear_call(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  return object == nullptr || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

// The other attributes of a function, which inspect reads: its code, its defaults.
PyObject* attribute(PyObject* self, PyObject* name) {
  PyObject* own = PyObject_GenericGetAttr(self, name);
  if (own != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  return PyObject_GetAttr(as_call(self)->function, name);
}

// The text of the function for which it stands.
PyObject* represent(PyObject* self) { return PyObject_Repr(as_call(self)->function); }

// Pickled as functions are, by name.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMemberDef call_members[] = {
    {"_theirs", T_OBJECT, offsetof(Call, theirs), 0, nullptr},
    {"_numpys", T_OBJECT, offsetof(Call, small.numpys), 0, nullptr},
    {"_dear", T_OBJECT, offsetof(Call, small.dear), 0, nullptr},
    {"_dear_from", T_LONGLONG, offsetof(Call, small.dear_from), 0, nullptr},
    {"_growth", T_INT, offsetof(Call, small.growth), 0, nullptr},
    {"_operands", T_INT, offsetof(Call, small.operands), 0, nullptr},
    {"_gives_views", T_BOOL, offsetof(Call, small.gives_views), 0, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Call, names), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Call, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef call_methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef call_getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot call_slots[] = {{Py_tp_new, reinterpret_cast<void*>(new_call)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_call)},
                            {Py_tp_traverse, reinterpret_cast<void*>(traverse_call)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear_call)},
                            {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                            {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                            {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
                            {Py_tp_repr, reinterpret_cast<void*>(represent)},
                            {Py_tp_members, call_members},
                            {Py_tp_methods, call_methods},
                            {Py_tp_getset, call_getset},
                            {0, nullptr}};
PyType_Spec call_spec = {
    "gamelan._core.Call", sizeof(Call), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    call_slots};

}  // namespace

void set_shortcut(Shortcut function) { shortcut = function; }

void add_call_type(PyObject* module) {
  Ref type = Ref::checked(PyType_FromSpec(&call_spec));
  if (PyModule_AddObjectRef(module, "Call", type.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
