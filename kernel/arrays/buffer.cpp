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
  Ref type, value;
};

Refusal& refusal() {
  static auto* last = new Refusal;  // never destroyed: Python ends before statics are
  return *last;
}

// To be called while the exception is set; it stays set.
void keep_refusal(const PyObject* array) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  refusal() = {array, current_line().line, Ref::borrow(type), Ref::borrow(value)};
  PyErr_Restore(type, value, traceback);
}

}  // namespace

void raise_refusal(const PyObject* array) {
  const Refusal& last = refusal();
  if (last.array != array || last.line != current_line().line) return;
  PyErr_Restore(Ref::borrow(last.type.get()).release(), Ref::borrow(last.value.get()).release(), nullptr);
  throw PythonError();
}

void forget_refusal() noexcept { refusal() = {}; }

// The consumer of the buffer holds the object that lends it, and that holds the memory.
int array_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* array = as_array(self);
  view->obj = nullptr;
  forget_refusal();
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
