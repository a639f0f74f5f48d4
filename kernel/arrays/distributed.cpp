// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/distributed.hpp"
// (Python.h first)
#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/reshape.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::Dtype;
using protocol::Error;
using protocol::ErrorKind;

namespace {

char* reserved = nullptr;
std::size_t reserved_bytes = 0;

/// A number of bytes with three digits, as NumPy's MemoryError writes it.
std::string human_bytes(std::int64_t bytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", value, units[unit]);
  return text;
}

/// `proxy` has the shape and dtype that were asked for.
void check_fits(const Engines& engines, std::int64_t bytes, PyArrayObject* proxy) {
  const std::int64_t heap_bytes = engines.heap_bytes();
  if (heap_bytes == 0 || bytes <= heap_bytes) return;
  Ref shape = Ref::checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(proxy), "shape"));
  Ref text = Ref::checked(PyUnicode_FromFormat("%S and data type %S", shape.get(),
                                               reinterpret_cast<PyObject*>(PyArray_DESCR(proxy))));
  const char* what = PyUnicode_AsUTF8(text.get());
  raise_error(Error(ErrorKind::memory,
                    "Unable to allocate " + human_bytes(bytes) + " for an array with shape " +
                        (what ? what : "?") + ": the " + std::to_string(engines.ranks()) + " engines have " +
                        human_bytes(heap_bytes) + " together (" + human_bytes(heap_bytes / engines.ranks()) +
                        " each; more engines or GAMELAN_HEAP give more)"));
}

void note_write(const Array* target, protocol::Dtype dtype) {
  target->b->is_recorded = true;
  if (dtype != protocol::Dtype::bool_) target->b->may_hold_any_bytes = true;
  ++target->b->version;
  target->b->written = (*target->b->session)->recorder().recorded_commands();
}

}  // namespace

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

Ref new_distributed(const std::shared_ptr<Session>& session, Dtype dtype, int dims, const npy_intp* extents) {
  // NumPy checks the extents (negative, too many, overflow) and raises what it always raises.
  Ref proxy = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type_number(dtype)),
                                                dims, extents, nullptr, reserved, NPY_ARRAY_CARRAY, nullptr));
  const std::int64_t bytes = PyArray_NBYTES(as_numpy(proxy));
  if (bytes == 0) std::fill_n(PyArray_STRIDES(as_numpy(proxy)), dims, 0);  // as in NumPy's new arrays
  check_fits(session->engines(), bytes, as_numpy(proxy));
  if (static_cast<std::size_t>(bytes) > reserved_bytes) {
    PyErr_Format(PyExc_MemoryError, "Unable to allocate %lld bytes: one array may have %zu",
                 static_cast<long long>(bytes), reserved_bytes);
    throw PythonError();
  }
  session->garbage().make_way(bytes);
  Ref holder = Ref::checked(new_base());
  auto* base = reinterpret_cast<Base*>(holder.get());
  base->session = new std::shared_ptr<Session>(session);
  base->id = session->new_id();
  base->bytes = bytes;
  session->garbage().add(bytes);
  Ref result = hold(proxy.get(), base);
  base->owner = as_array(result.get());
  // The proxy keeps its base alive too: whatever view NumPy derives from it, the array stays on the engines.
  if (PyArray_SetBaseObject(as_numpy(proxy), holder.release()) < 0) throw PythonError();
  return result;
}

Ref reshape_view(Array* array, int dims, const npy_intp* extents) {
  PyArrayObject* data = data_of(array);
  const auto own = static_cast<std::size_t>(PyArray_NDIM(data));
  PyArray_Descr* descr = PyArray_DESCR(data);
  const auto strides = reshaped_strides({PyArray_DIMS(data), own}, {PyArray_STRIDES(data), own},
                                        {extents, static_cast<std::size_t>(dims)},
                                        static_cast<npy_intp>(PyArray_ITEMSIZE(data)));
  if (!strides) return {};
  Py_INCREF(descr);
  Ref view = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, dims, extents, strides->data(),
                                               PyArray_DATA(data), PyArray_FLAGS(data) & NPY_ARRAY_WRITEABLE,
                                               nullptr));
  Py_INCREF(array->a);
  if (PyArray_SetBaseObject(as_numpy(view), array->a) < 0) throw PythonError();
  return hold(view.get(), array->b);
}

std::int64_t offset_of(const Array* array) { return PyArray_BYTES(data_of(array)) - reserved; }

protocol::View view_of(const Array* array) {
  PyArrayObject* proxy = data_of(array);
  const int dims = PyArray_NDIM(proxy);
  protocol::View view;
  view.base = array->b->id;
  view.dtype = *dtype_of(PyArray_DESCR(proxy));
  view.offset = offset_of(array);
  view.extents.assign(PyArray_DIMS(proxy), PyArray_DIMS(proxy) + dims);
  view.strides.assign(PyArray_STRIDES(proxy), PyArray_STRIDES(proxy) + dims);
  return view;
}

void record_write(const Array* target, protocol::Command command) {
  const auto dtype = command.out.dtype;
  (*target->b->session)->record(std::move(command));
  note_write(target, dtype);
}

void record_write(const Array* target, protocol::Command command, protocol::Bytes payload) {
  const auto dtype = command.out.dtype;
  (*target->b->session)->record(std::move(command), std::move(payload));
  note_write(target, dtype);
}

}  // namespace gamelan::kernel
