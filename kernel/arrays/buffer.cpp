// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/buffer.hpp"

#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

constinit Hook gather_hook;

namespace {

// True when NumPy's description of a buffer describes the dtype fully. For some records it does not: with
// gaps, with arrays in arrays.
bool is_told_by_a_buffer(PyArrayObject* data) {
  if (PyArray_TYPE(data) != NPY_VOID) return true;
  const Ref memory(PyMemoryView_FromObject(reinterpret_cast<PyObject*>(data)));
  const Ref read(memory ? PyArray_FromAny(memory.get(), nullptr, 0, 0, 0, nullptr) : nullptr);
  PyErr_Clear();
  return read && PyArray_EquivTypes(PyArray_DESCR(as_numpy(read)), PyArray_DESCR(data)) != 0;
}

}  // namespace

// The consumer of the buffer holds the object that lends it, and that holds the memory.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* array = as_array(self);
  view->obj = nullptr;
  if (array->b == nullptr && (flags & PyBUF_FORMAT) != 0 && !is_told_by_a_buffer(data_of(array))) {
    PyErr_SetString(PyExc_BufferError,
                    "no buffer describes records of this dtype; numpy.asarray(x) shares their memory");
    return -1;
  }
  if (array->b == nullptr && PyArray_SIZE(data_of(array)) > 0)
    return PyObject_GetBuffer(array->a, view, flags);
  if (array->b == nullptr) {
    // Without elements there is nothing to share, and NumPy cannot read back what it lends where a stride is
    // negative. So lend a copy.
    const Ref empty(PyArray_NewCopy(data_of(array), NPY_CORDER));
    return empty ? PyObject_GetBuffer(empty.get(), view, flags) : -1;
  }
  if ((flags & (PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_ND)) != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "a distributed array has no memory here; numpy.asarray(x) brings a copy");
    return -1;
  }
  const Ref copy(PyObject_CallOneArg(gather_hook.get(), self));
  return copy ? PyObject_GetBuffer(copy.get(), view, flags) : -1;
}

// That this function exists tells NumPy that the memory belongs to the buffer and not to the array: then
// frombuffer keeps the buffer.
void array_release_buffer(PyObject*, Py_buffer*) {}

}  // namespace gamelan::kernel
