// SPDX-License-Identifier: BSD-3-Clause
// See array_object.hpp. Every proxy begins at the same reserved address: a view is told apart by its base's
// id, so the reservation need only be as large as one array.
#include "kernel/arrays/array_object.hpp"

#include <structmember.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>

#include "kernel/arrays/elements.hpp"
#include "kernel/arrays/reshape.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

using protocol::Dtype;

namespace {

PyTypeObject* base_type = nullptr;
PyTypeObject* array_type = nullptr;   // _core.Array
PyTypeObject* array_class = nullptr;  // gamelan.ndarray, once it is registered
char* reserved = nullptr;
std::size_t reserved_bytes = 0;

// Indexed by protocol::Dtype.
constexpr int type_numbers[] = {NPY_BOOL,  NPY_INT8,   NPY_UINT8,  NPY_INT16,  NPY_UINT16,
                                NPY_INT32, NPY_UINT32, NPY_INT64,  NPY_UINT64, NPY_HALF,
                                NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
static_assert(sizeof type_numbers / sizeof *type_numbers == protocol::dtype_count);

void reserve_addresses() {
  // No page of it is ever readable; a smaller piece is taken where the address space is limited (ulimit -v).
  for (std::size_t bytes = std::size_t{1} << 46; bytes >= std::size_t{1} << 30; bytes >>= 1) {
    void* address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) continue;
    reserved = static_cast<char*>(address);
    reserved_bytes = bytes;
    return;
  }
  PyErr_SetString(PyExc_ImportError, "gamelan: cannot reserve 1 GiB of address space (see ulimit -v)");
  throw PythonError();
}

template <class T>
T* self_as(PyObject* self) {
  return reinterpret_cast<T*>(self);
}

void base_dealloc(PyObject* self) {
  auto* base = self_as<Base>(self);
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
     "What gamelan._bounds knows of its numbers, or None."},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* base_is_lost(PyObject* self, void*) {
  const auto& session = *self_as<Base>(self)->session;
  return PyBool_FromLong(!session->is_current() || session->has_ended());
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
  auto* array = self_as<Array>(self);
  disown(array);  // before anybody is told that it dies
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

// Subscripts are C all the way for local arrays: reading one element costs NumPy 50 ns, and a Python method
// four times that. Distributed ones go to gamelan._index.
PyObject* get_hook = nullptr;
PyObject* set_hook = nullptr;

PyObject* gather_hook = nullptr;

// A key of which NumPy gets its own arrays in the place of ours: of other objects without elements it makes
// integers, which would turn an empty mask into an empty index.
Ref key_for_numpy(PyObject* key) {
  if (is_array(key)) return Ref::borrow(self_as<Array>(key)->b == nullptr ? self_as<Array>(key)->a : key);
  if (!PyTuple_CheckExact(key)) return Ref::borrow(key);
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  Py_ssize_t place = 0;
  while (place < count && !is_array(PyTuple_GET_ITEM(key, place))) ++place;
  if (place == count) return Ref::borrow(key);
  Ref plain(PyTuple_New(count));
  for (place = 0; plain && place < count; ++place) {
    PyTuple_SET_ITEM(plain.get(), place, key_for_numpy(PyTuple_GET_ITEM(key, place)).release());
  }
  return plain;
}

PyObject* array_subscript(PyObject* self, PyObject* key) {
  auto* array = self_as<Array>(self);
  const bool is_key_distributed = is_array(key) && self_as<Array>(key)->b != nullptr;
  if (array->b != nullptr || is_key_distributed) {
    const UserCall lives;
    return PyObject_CallFunctionObjArgs(get_hook, self, key, nullptr);
  }
  const Ref plain = key_for_numpy(key);
  PyObject* result = plain ? PyObject_GetItem(array->a, plain.get()) : nullptr;
  if (result == nullptr || !PyArray_Check(result)) return result;
  try {
    return wrap(Ref(result).get()).release();
  } catch (const PythonError&) {
    return nullptr;
  }
}

// NumPy takes an object for a sequence, as in numpy.array([ours, ours]), only when it has this slot.
PyObject* array_item(PyObject* self, Py_ssize_t index) {
  const Ref key(PyLong_FromSsize_t(index));
  return key ? array_subscript(self, key.get()) : nullptr;
}
int array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  auto* array = self_as<Array>(self);
  if (value == nullptr) {
    PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
    return -1;
  }
  const bool is_here = !is_array(value) || self_as<Array>(value)->b == nullptr;
  if (array->b == nullptr && is_here) {
    const Ref plain = key_for_numpy(key);
    return plain ? PyObject_SetItem(array->a, plain.get(), is_array(value) ? self_as<Array>(value)->a : value)
                 : -1;
  }
  const UserCall lives;
  const Ref done(PyObject_CallFunctionObjArgs(set_hook, self, key, value, nullptr));
  return done ? 0 : -1;
}

Py_ssize_t array_length(PyObject* self) { return PyObject_Size(self_as<Array>(self)->a); }

// Of views the very object that they were taken of, if it is still there, as in NumPy.
PyObject* array_owner(PyObject* self, void*) {
  const Base* base = self_as<Array>(self)->b;
  if (base == nullptr || base->owner == nullptr) Py_RETURN_NONE;
  return Py_NewRef(reinterpret_cast<PyObject*>(base->owner));
}
PyGetSetDef array_getset[] = {
    {"_owner", array_owner, nullptr, "The array that was made with `_b`, None when it is gone.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// A small array lends its own memory. A distributed one gives a read-only copy to those who ask for plain
// bytes (files, hashes, sockets); those who ask for shape and format (memoryview, and NumPy, which goes on to
// __array__) are refused, so that nobody takes the copy for the array. The consumer holds the lender, which
// holds the memory. Of records NumPy's own description of a buffer does not always say what they are: with
// gaps, with arrays in arrays.
bool is_told_by_a_buffer(PyArrayObject* data) {
  if (PyArray_TYPE(data) != NPY_VOID) return true;
  const Ref memory(PyMemoryView_FromObject(reinterpret_cast<PyObject*>(data)));
  const Ref read(memory ? PyArray_FromAny(memory.get(), nullptr, 0, 0, 0, nullptr) : nullptr);
  PyErr_Clear();
  return read && PyArray_EquivTypes(PyArray_DESCR(read.array()), PyArray_DESCR(data)) != 0;
}

int array_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* array = self_as<Array>(self);
  view->obj = nullptr;
  if (array->b == nullptr && (flags & PyBUF_FORMAT) != 0 && !is_told_by_a_buffer(data_of(array))) {
    PyErr_SetString(PyExc_BufferError,
                    "no buffer describes records of this dtype; numpy.asarray(x) shares their memory");
    return -1;
  }
  if (array->b == nullptr && PyArray_SIZE(data_of(array)) > 0)
    return PyObject_GetBuffer(array->a, view, flags);
  if (array->b == nullptr) {
    // Without elements there is nothing to share; NumPy cannot read back what it lends where a stride is
    // negative.
    const Ref empty(PyArray_NewCopy(data_of(array), NPY_CORDER));
    return empty ? PyObject_GetBuffer(empty.get(), view, flags) : -1;
  }
  if ((flags & (PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_ND)) != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "a distributed array has no memory here; numpy.asarray(x) brings a copy");
    return -1;
  }
  const Ref copy(PyObject_CallOneArg(gather_hook, self));
  return copy ? PyObject_GetBuffer(copy.get(), view, flags) : -1;
}

// That there is one tells NumPy that the memory is the buffer's and not the array's: frombuffer then holds
// the buffer.
void array_release_buffer(PyObject*, Py_buffer*) {}

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

void add_types(PyObject* module) {
  reserve_addresses();
  base_type = add_type(module, base_spec, "Base");
  array_type = add_type(module, array_spec, "Array");
  array_class = array_type;
}

void set_array_class(PyTypeObject* type) {
  Py_INCREF(type);
  array_class = type;
}

void set_index_hooks(PyObject* get, PyObject* set) {
  Py_XINCREF(get);
  Py_XSETREF(get_hook, get);
  Py_XINCREF(set);
  Py_XSETREF(set_hook, set);
}

void set_gather_hook(PyObject* gather) {
  Py_XINCREF(gather);
  Py_XSETREF(gather_hook, gather);
}

bool is_array(PyObject* object) {
  return Py_TYPE(object) == array_class || PyType_IsSubtype(Py_TYPE(object), array_type);
}

void disown(Array* array) {
  if (array->b != nullptr && array->b->owner == array) array->b->owner = nullptr;
}

Ref wrap(PyObject* value, Base* base) {
  return PyArray_Check(value) && !has_own_class(value) ? hold(value, base) : Ref::borrow(value);
}

bool has_own_class(PyObject* value) {
  static const PyObject* const memmap = PyObject_GetAttrString(PyImport_AddModule("numpy"), "memmap");
  return !PyArray_CheckExact(value) && PyArray_Check(value) &&
         reinterpret_cast<PyObject*>(Py_TYPE(value)) != memmap;
}

Ref hold(PyObject* value, Base* base) {
  Ref result = Ref::checked(array_class->tp_alloc(array_class, 0));
  Array* array = as_array(result.get());
  Py_INCREF(value);
  array->a = value;
  Py_XINCREF(reinterpret_cast<PyObject*>(base));
  array->b = base;
  return result;
}

Ref new_distributed(const std::shared_ptr<Session>& session, Dtype dtype, int dims, const npy_intp* extents) {
  // NumPy checks the extents (negative, too many, overflow) and raises what it always raises.
  Ref proxy = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type_number(dtype)),
                                                dims, extents, nullptr, reserved, NPY_ARRAY_CARRAY, nullptr));
  const std::int64_t bytes = PyArray_NBYTES(proxy.array());
  if (bytes == 0) std::fill_n(PyArray_STRIDES(proxy.array()), dims, 0);  // as of NumPy's new arrays
  if (static_cast<std::size_t>(bytes) > reserved_bytes) {
    PyErr_Format(PyExc_MemoryError, "an array of %lld bytes is more than this process can name (%zu)",
                 static_cast<long long>(bytes), reserved_bytes);
    throw PythonError();
  }
  session->check_fits(bytes, proxy.get());
  session->garbage().make_way(bytes);
  Ref holder = Ref::checked(base_type->tp_alloc(base_type, 0));
  auto* base = self_as<Base>(holder.get());
  base->session = new std::shared_ptr<Session>(session);
  base->id = session->new_id();
  base->bytes = bytes;
  session->garbage().add(bytes);
  Ref result = wrap(proxy.get(), base);
  base->owner = as_array(result.get());
  // The proxy keeps its base alive too: whatever view NumPy derives from it, the array stays on the engines.
  if (PyArray_SetBaseObject(proxy.array(), holder.release()) < 0) throw PythonError();
  return result;
}

Ref reshape_view(Array* array, int dims, const npy_intp* extents) {
  PyArrayObject* data = data_of(array);
  const auto own = static_cast<std::size_t>(PyArray_NDIM(data));
  PyArray_Descr* descr = PyArray_DESCR(data);
  const auto strides = reshaped_strides({PyArray_DIMS(data), own}, {PyArray_STRIDES(data), own},
                                        {extents, static_cast<std::size_t>(dims)}, descr->elsize);
  if (!strides) return {};
  Py_INCREF(descr);
  Ref view = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, dims, extents, strides->data(),
                                               PyArray_DATA(data), PyArray_FLAGS(data) & NPY_ARRAY_WRITEABLE,
                                               nullptr));
  Py_INCREF(array->a);
  if (PyArray_SetBaseObject(view.array(), array->a) < 0) throw PythonError();
  return wrap(view.get(), array->b);
}

protocol::View view_of(const Array* array) {
  PyArrayObject* proxy = data_of(array);
  const int dims = PyArray_NDIM(proxy);
  protocol::View view;
  view.base = array->b->id;
  view.dtype = *dtype_of(PyArray_DESCR(proxy));
  view.offset = PyArray_BYTES(proxy) - reserved;
  view.extents.assign(PyArray_DIMS(proxy), PyArray_DIMS(proxy) + dims);
  view.strides.assign(PyArray_STRIDES(proxy), PyArray_STRIDES(proxy) + dims);
  return view;
}

std::optional<Dtype> dtype_of(PyArray_Descr* descr) {
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  switch (descr->type_num) {
    case NPY_BOOL:
      return Dtype::bool_;
    case NPY_BYTE:
      return Dtype::int8;
    case NPY_UBYTE:
      return Dtype::uint8;
    case NPY_SHORT:
      return Dtype::int16;
    case NPY_USHORT:
      return Dtype::uint16;
    case NPY_INT:
      return Dtype::int32;
    case NPY_UINT:
      return Dtype::uint32;
    case NPY_LONG:
    case NPY_LONGLONG:
      return Dtype::int64;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return Dtype::uint64;
    case NPY_HALF:
      return Dtype::float16;
    case NPY_FLOAT:
      return Dtype::float32;
    case NPY_DOUBLE:
      return Dtype::float64;
    case NPY_CFLOAT:
      return Dtype::complex64;
    case NPY_CDOUBLE:
      return Dtype::complex128;
    default:
      return std::nullopt;
  }
}

int type_number(Dtype dtype) { return type_numbers[static_cast<std::size_t>(dtype)]; }

}  // namespace gamelan::kernel
