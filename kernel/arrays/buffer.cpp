// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/buffer.hpp"

#include <utility>

#include "kernel/arrays/array_object.hpp"
#include "kernel/recorder/current_line.hpp"

namespace gamelan::kernel {

constinit Hook gather_hook;

namespace {

// Why the last buffer was not given.
struct Refusal {
  const PyObject* array = nullptr;  // compared only
  SourceLine line;
  Ref error;
};

Refusal& refusal() {
  thread_local auto* last = new Refusal;  // never destroyed: a thread may end without the GIL
  return *last;
}

// To be called while the exception is set; it stays set. What is kept has no traceback, which would keep the
// program's frames, and their arrays.
void keep_refusal(const PyObject* array) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref arguments(PyObject_GetAttrString(value, "args"));
  Ref error(arguments ? PyObject_CallObject(type, arguments.get()) : nullptr);
  PyErr_Clear();
  if (error) refusal() = {array, current_line().line, std::move(error)};
  PyErr_Restore(type, value, traceback);
}

}  // namespace

bool is_refused(const PyObject* array) {
  const Refusal& last = refusal();
  return last.array == array && last.line == current_line().line;
}

void raise_refusal(const PyObject* array) {
  const bool is_just_now = is_refused(array);
  const Refusal last = std::exchange(refusal(), {});
  if (!is_just_now) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(last.error.get())), last.error.get());
  throw PythonError();
}

// The consumer of the buffer holds the object that lends it, and that holds the memory.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* array = as_array(self);
  view->obj = nullptr;
  refusal() = {};
  if (array->b == nullptr) return PyObject_GetBuffer(array->a, view, flags);
  if ((flags & PyBUF_WRITABLE) != 0) {
    PyErr_SetString(PyExc_BufferError,
                    "a distributed array has no memory here; numpy.asarray(x) brings a copy");
    return -1;
  }
  const Ref copy(PyObject_CallOneArg(gather_hook.get(), self));
  if (!copy) {
    keep_refusal(self);
    return -1;
  }
  return PyObject_GetBuffer(copy.get(), view, flags);
}

// That this function exists tells NumPy that the memory belongs to the buffer and not to the array: then
// frombuffer keeps the buffer.
void array_release_buffer(PyObject*, Py_buffer*) {}

}  // namespace gamelan::kernel
