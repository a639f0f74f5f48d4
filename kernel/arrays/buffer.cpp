// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/buffer.hpp"

#include "kernel/arrays/array_object.hpp"

namespace gamelan::kernel {

constinit Hook gather_hook;

// The consumer of the buffer holds the object that lends it, and that holds the memory.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* array = as_array(self);
  view->obj = nullptr;
  if (array->b == nullptr) return PyObject_GetBuffer(array->a, view, flags);
  if ((flags & PyBUF_WRITABLE) != 0) {
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
