// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/array_types.hpp"
#include "kernel/arrays/brought.hpp"
// (Python.h first)
#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernel/arrays/array_object.hpp"
#include "kernel/arrays/buffer.hpp"
#include "kernel/arrays/guarded.hpp"
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
    (*base->session)->garbage().drop(base->bytes, base->id);
    delete base->session;
  }
  delete base->read_ahead;
  forget(base->parts);
  Py_XDECREF(base->index_range);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef base_members[] = {
    {"id", T_ULONGLONG, offsetof(Base, id), READONLY, "Number of the array within its session."},
    {"version", T_ULONGLONG, offsetof(Base, version), READONLY, "How many commands have written it."},
    {"is_shared", T_BOOL, offsetof(Base, is_shared), READONLY, "Other clients may write it."},
    {"nbytes", T_LONGLONG, offsetof(Base, bytes), READONLY, "Size in bytes, over all engines."},
    {"index_range", T_OBJECT, offsetof(Base, index_range), 0,
     "What gamelan._folds knows of its numbers, or None."},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* base_is_lost(PyObject* self, void*) {
  const auto& session = *as_base(self)->session;
  return PyBool_FromLong(!session->is_current() || (session->engines().has_ended() && !CommandLog::is_on()));
}
PyObject* base_is_failed(PyObject* self, void*) {
  return PyBool_FromLong((*as_base(self)->session)->recorder().poison_of(as_base(self)->id) != nullptr);
}
PyGetSetDef base_getset[] = {
    {"is_failed", base_is_failed, nullptr,
     "True when it was not computed: there was an error, or it is lost.", nullptr},
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
  PyObject* const owner = base == nullptr ? nullptr : reinterpret_cast<PyObject*>(base->owner);
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
                             {Py_tp_doc, const_cast<char*>("Layout of distributed arrays.")},
                             {0, nullptr}};
PyType_Spec array_spec = {"gamelan._core.Array", sizeof(Array), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          array_slots};

// The Python half asks small and distributed arrays alike for `_a` and `_b`.
PyObject* local_data(PyObject* self, void*) {
  return guarded([&] { return plain(self).release(); });
}
PyObject* no_base(PyObject*, void*) { Py_RETURN_NONE; }

// NumPy's `base`, without the plain arrays (see `plain`) of which NumPy has taken views.
PyObject* local_owner(PyObject* self, void*) {
  PyObject* const root = root_of(self);
  PyObject* const owner = root == self ? PyArray_BASE(reinterpret_cast<PyArrayObject*>(self)) : root;
  return Py_NewRef(owner == nullptr ? Py_None : owner);
}

// NumPy's method for an array of a class derived from ours, which called it by super().
PyObject* as_of_numpys(const char* name, PyObject* self, PyObject* arguments) {
  return guarded([&] {
    const Ref theirs = Ref::checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyArray_Type), name));
    const Ref own = Ref::checked(PyTuple_Pack(1, self));
    const Ref all = Ref::checked(PySequence_Concat(own.get(), arguments));
    return Ref::checked(PyObject_Call(theirs.get(), all.get(), nullptr)).release();
  });
}

// __array_wrap__(result, context, return_scalar): NumPy asks what class the new result of a ufunc gets.
PyObject* local_wrap(PyObject* self, PyObject* arguments) {
  if (!is_local(self)) return as_of_numpys("__array_wrap__", self, arguments);
  PyObject *result = nullptr, *context = nullptr, *returns_scalar = nullptr;
  if (!PyArg_ParseTuple(arguments, "O|OO", &result, &context, &returns_scalar)) return nullptr;
  if (!PyArray_Check(result)) {
    PyErr_SetString(PyExc_TypeError, "can only be called with ndarray object");
    return nullptr;
  }
  if (!PyArray_CheckExact(result)) return Py_NewRef(result);
  auto* const array = reinterpret_cast<PyArrayObject*>(result);
  const bool is_called_by_a_ufunc = context != nullptr;  // NumPy 1's squeeze() calls it with the result alone
  if (PyArray_NDIM(array) == 0 && is_called_by_a_ufunc && returns_scalar != Py_False)
    return PyArray_ToScalar(PyArray_DATA(array), array);
  return guarded([&] {
    const bool is_of_ufunc = context != nullptr && context != Py_None;  // which asks of new arrays only
    const bool is_new =
        is_of_ufunc && PyArray_BASE(array) == nullptr && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA);
    return (is_new ? adopt(result) : share(result)).release();
  });
}

// __array_prepare__(output, context): NumPy 1.x asks what the output is to be before it computes.
PyObject* local_prepare(PyObject* self, PyObject* arguments) {
  if (!is_local(self)) return as_of_numpys("__array_prepare__", self, arguments);
  PyObject *output = nullptr, *context = nullptr;
  return PyArg_ParseTuple(arguments, "O|O", &output, &context) ? Py_NewRef(output) : nullptr;
}

// __array_function__(function, types, arguments, keywords): what NumPy's does, but for array_repr, which
// names a derived class where it writes "array".
PyObject* local_array_function(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  static PyObject* const theirs =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyArray_Type), "__array_function__");
  static PyObject* const array_repr = PyObject_GetAttrString(PyImport_AddModule("numpy"), "array_repr");
  if (count == 4 && given[0] == array_repr && PyDict_Check(given[3]) && PyTuple_Check(given[2]) &&
      PyTuple_GET_SIZE(given[2]) > 0 && is_local(PyTuple_GET_ITEM(given[2], 0))) {
    return guarded([&] {
      const Ref arguments = Ref::checked(PySequence_List(given[2]));
      PyList_SetItem(arguments.get(), 0, plain(PyTuple_GET_ITEM(given[2], 0)).release());
      const Ref tuple = Ref::checked(PyList_AsTuple(arguments.get()));
      return Ref::checked(PyObject_Call(array_repr, tuple.get(), given[3])).release();
    });
  }
  std::array<PyObject*, 5> all{self};
  if (theirs == nullptr) return nullptr;
  if (count != 4) {
    PyErr_Format(PyExc_TypeError, "__array_function__() takes 4 arguments, got %zd", count);
    return nullptr;
  }
  std::copy(given, given + count, all.begin() + 1);
  return PyObject_Vectorcall(theirs, all.data(), all.size(), nullptr);
}

PyMethodDef local_methods[] = {
    {"__array_function__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(local_array_function)),
     METH_FASTCALL, "As of numpy.ndarray; numpy.array_repr writes `array`."},
    {"__array_prepare__", local_prepare, METH_VARARGS, "The output of a ufunc of NumPy 1.x, as it is."},
    {"__array_wrap__", local_wrap, METH_VARARGS, "The result of a ufunc of NumPy as a small array."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef local_getset[] = {
    {"_a", local_data, nullptr, "The same memory as a plain NumPy array.", nullptr},
    {"_b", no_base, nullptr, "None: the array is not on the engines.", nullptr},
    {"base", local_owner, nullptr, "The object that the memory belongs to; None where it is this array.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr const char* local_doc =
    "A NumPy array that lives here when it is small and on the engines when it is large.\n\n"
    "Usually made by `gamelan.array`, `zeros`, `arange`, ... A small one is a `numpy.ndarray`, and every "
    "library takes it\n"
    "for one. A large one, of `np.config.distribute_from` elements or more, is a `DistributedArray`, for "
    "which\n"
    "`isinstance(x, ndarray)` is true, too. Operators and functions of small arrays whose result is large "
    "make a\n"
    "distributed one.";

PyType_Slot local_slots[] = {{Py_tp_getset, local_getset},
                             {Py_tp_methods, local_methods},
                             {Py_mp_subscript, reinterpret_cast<void*>(local_subscript)},
                             {Py_mp_ass_subscript, reinterpret_cast<void*>(local_assign_subscript)},
                             {Py_tp_doc, const_cast<char*>(local_doc)},
                             {0, nullptr}};
PyType_Spec local_spec = {"gamelan.ndarray", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, local_slots};

PyTypeObject* add_type(PyObject* module, PyType_Spec& spec, const char* name,
                       PyTypeObject* derived_from = nullptr) {
  Ref type = Ref::checked(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(derived_from)));
  if (PyModule_AddObjectRef(module, name, type.get()) < 0) throw PythonError();
  return reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace

void add_array_types(PyObject* module) {
  PyTypeObject* const base_type = add_type(module, base_spec, "Base");
  PyTypeObject* const array_type = add_type(module, array_spec, "Array");
  PyTypeObject* const local_type = add_type(module, local_spec, "ndarray", &PyArray_Type);
  set_array_types(base_type, array_type, local_type);
  const Ref both = Ref::checked(PyTuple_Pack(2, array_type, local_type));
  if (PyModule_AddObjectRef(module, "OURS", both.get()) < 0) throw PythonError();
}

}  // namespace gamelan::kernel
