// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/array_types.hpp"
// (Python.h first)
#include <structmember.h>

#include <cstddef>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/buffer.hpp"
#include "kernel/arrays/read_ahead.hpp"
#include "kernel/arrays/subscripts.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

namespace {

Base* as_base(PyObject* self) { return reinterpret_cast<Base*>(self); }

void base_dealloc(PyObject* self) {
  auto* base = as_base(self);
  if (base->session != nullptr) {
    if (base->is_recorded) (*base->session)->free(base->id);
    (*base->session)->garbage().drop(base->bytes);
    delete base->session;
  }
  delete base->read_ahead;
  Py_XDECREF(base->index_range);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef base_members[] = {
    {"id", T_ULONGLONG, offsetof(Base, id), READONLY, "Number of the array within its session."},
    {"version", T_ULONGLONG, offsetof(Base, version), READONLY, "How many commands have written it."},
    {"nbytes", T_LONGLONG, offsetof(Base, bytes), READONLY, "Size in bytes, over all engines."},
    {"index_range", T_OBJECT, offsetof(Base, index_range), 0,
     "What gamelan._folds knows of its numbers, or None."},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* base_is_lost(PyObject* self, void*) {
  const auto& session = *as_base(self)->session;
  return PyBool_FromLong(!session->is_current() || session->engines().has_ended());
}
PyGetSetDef base_getset[] = {
    {"is_lost", base_is_lost, nullptr, "True when the engines that held it are gone.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot base_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(base_dealloc)},
                            {Py_tp_members, base_members},
                            {Py_tp_getset, base_getset},
                            {Py_tp_doc, const_cast<char*>("An array that lives on the engines.")},
                            {0, nullptr}};
PyType_Spec base_spec = {"gamelan._core.Base", sizeof(Base), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, base_slots};

void array_dealloc(PyObject* self) {
  auto* array = as_array(self);
  disown(array);  // before its weak references learn that it dies
  if (array->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_XDECREF(array->a);
  Py_XDECREF(reinterpret_cast<PyObject*>(array->b));
  Py_XDECREF(array->value);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef array_members[] = {
    {"_a", T_OBJECT, offsetof(Array, a), READONLY,
     "NumPy array: the data, or a proxy that must never be read."},
    {"_b", T_OBJECT, offsetof(Array, b), READONLY, "The array on the engines, None for a local one."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

Py_ssize_t array_length(PyObject* self) { return PyObject_Size(as_array(self)->a); }

// The owner of a view is the very object from which it was taken, if that still exists, as in NumPy.
PyObject* array_owner(PyObject* self, void*) {
  const Base* base = as_array(self)->b;
  PyObject* const owner = base == nullptr ? as_array(self)->value : reinterpret_cast<PyObject*>(base->owner);
  return Py_NewRef(owner == nullptr ? Py_None : owner);
}
PyGetSetDef array_getset[] = {
    {"_owner", array_owner, nullptr,
     "Of a view: the array that it was taken of, None when that is not known.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot array_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(array_dealloc)},
                             {Py_tp_members, array_members},
                             {Py_tp_getset, array_getset},
                             {Py_mp_subscript, reinterpret_cast<void*>(array_subscript)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(array_assign_subscript)},
                             {Py_mp_length, reinterpret_cast<void*>(array_length)},
                             {Py_sq_length, reinterpret_cast<void*>(array_length)},
                             {Py_sq_item, reinterpret_cast<void*>(array_item)},
                             {Py_bf_getbuffer, reinterpret_cast<void*>(array_get_buffer)},
                             {Py_bf_releasebuffer, reinterpret_cast<void*>(array_release_buffer)},
                             {Py_tp_doc, const_cast<char*>("Layout of gamelan.ndarray.")},
                             {0, nullptr}};
PyType_Spec array_spec = {"gamelan._core.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          array_slots};

PyTypeObject* add_type(PyObject* module, PyType_Spec& spec, const char* name) {
  Ref type = Ref::checked(PyType_FromSpec(&spec));
  if (PyModule_AddObjectRef(module, name, type.get()) < 0) throw PythonError();
  return reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace

void add_array_types(PyObject* module) {
  PyTypeObject* const base_type = add_type(module, base_spec, "Base");
  set_array_types(base_type, add_type(module, array_spec, "Array"));
}

}  // namespace gamelan::kernel
