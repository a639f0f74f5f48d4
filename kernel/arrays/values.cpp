// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/values.hpp"

#include <cstring>

#include "kernel/arrays/bool_bytes.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/read_ahead.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::Bytes;

namespace {

constexpr std::size_t copy_limit_bytes = 1 << 16;  // larger payloads become the array's own memory, uncopied
constexpr const char* capsule_name = "gamelan.payload";

void free_payload(PyObject* capsule) {
  delete static_cast<Bytes*>(PyCapsule_GetPointer(capsule, capsule_name));
}

Ref array_from(const Array* model, Bytes payload) {
  PyArrayObject* proxy = data_of(model);
  PyArray_Descr* descr = PyArray_DESCR(proxy);
  const auto expected = static_cast<std::size_t>(PyArray_NBYTES(proxy));
  if (payload.size() != expected) {
    PyErr_Format(PyExc_RuntimeError, "gamelan: an engine sent %zu bytes for an array of %zu", payload.size(),
                 expected);
    throw PythonError();
  }
  Py_INCREF(descr);
  if (expected <= copy_limit_bytes) {
    Ref result = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(proxy),
                                                   PyArray_DIMS(proxy), nullptr, nullptr, 0, nullptr));
    if (expected > 0) std::memcpy(PyArray_DATA(as_numpy(result)), payload.data(), expected);
    return result;
  }
  auto* owned = new Bytes(std::move(payload));
  Ref capsule(PyCapsule_New(owned, capsule_name, free_payload));
  if (!capsule) {
    delete owned;
    Py_DECREF(descr);
    throw PythonError();
  }
  Ref result =
      Ref::checked(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(proxy), PyArray_DIMS(proxy),
                                        nullptr, owned->data(), NPY_ARRAY_CARRAY, nullptr));
  if (PyArray_SetBaseObject(as_numpy(result), capsule.release()) < 0) throw PythonError();
  return result;
}

}  // namespace

Ref upload(PyArrayObject* source) {
  if (PyArray_DESCR(source)->type_num > NPY_HALF)
    refuse_dtype(PyArray_DESCR(source));  // StringDType and such
  Ref native =
      Ref::checked(reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(PyArray_DESCR(source), NPY_NATIVE)));
  auto* descr = reinterpret_cast<PyArray_Descr*>(native.get());
  const auto dtype = dtype_of(descr);
  if (!dtype) refuse_dtype(PyArray_DESCR(source));
  if (static_cast<std::size_t>(PyArray_NBYTES(source)) > protocol::max_payload_bytes)
    raise_error(protocol::Error(protocol::ErrorKind::memory,
                                "an array of " + std::to_string(PyArray_NBYTES(source)) +
                                    " bytes cannot be brought to the engines in one piece, at most " +
                                    std::to_string(protocol::max_payload_bytes) +
                                    " bytes: make it there (gamelan.empty) and assign "
                                    "it part by part (a[:n] = part)"));
  const auto session = current_session();
  native.release();  // PyArray_FromArray takes it over
  Ref contiguous = Ref::checked(PyArray_FromArray(source, descr, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED));
  Ref result = new_distributed(session, *dtype, PyArray_NDIM(source), PyArray_DIMS(source));
  const auto* first = static_cast<const std::byte*>(PyArray_DATA(as_numpy(contiguous)));
  protocol::Command command;
  command.op = protocol::Op::constant;
  command.out = view_of(as_array(result.get()));
  if (has_other_bytes(as_numpy(contiguous)))
    command.out.dtype = protocol::Dtype::uint8;  // a bool in a message is 0 or 1
  command.loop = command.out.dtype;
  command.creates = true;
  record_write(as_array(result.get()), std::move(command),
               Bytes(first, first + PyArray_NBYTES(as_numpy(contiguous))));
  return result;
}

std::vector<Ref> fetch(const std::vector<PyObject*>& arrays) {
  std::vector<protocol::View> views;
  std::shared_ptr<Session> session;
  for (PyObject* object : arrays) {
    if (!is_distributed(object)) continue;
    const Array* array = as_array(object);
    (*array->b->session)->require_current();
    session = *array->b->session;
    views.push_back(view_of(array));
  }
  std::vector<Bytes> payloads;
  if (session != nullptr) payloads = session->fetch(std::move(views));
  std::vector<Ref> results;
  auto next = payloads.begin();
  for (PyObject* object : arrays) {
    results.push_back(is_distributed(object)
                          ? array_from(as_array(object), std::move(*next++))
                          : Ref::checked(PyArray_NewCopy(
                                reinterpret_cast<PyArrayObject*>(plain(numpys(object)).get()), NPY_CORDER)));
  }
  return results;
}

Ref value_of(PyObject* object) {
  if (!is_distributed(object)) {
    auto* local = reinterpret_cast<PyArrayObject*>(numpys(object));
    return Ref::checked(PyArray_ToScalar(PyArray_DATA(local), local));
  }
  Array* array = as_array(object);
  if (array->b->is_shared) ++array->b->version;
  if (array->value != nullptr && array->value_version == array->b->version) return Ref::borrow(array->value);
  if (array->b->is_element) ++(*array->b->read_ahead)->values_wanted;  // a count for elements.cpp
  const std::uint64_t version = array->b->version;
  std::vector<Ref> fetched_arrays = fetch({object});
  PyArrayObject* fetched_array = as_numpy(fetched_arrays.front());
  Ref value = Ref::checked(PyArray_ToScalar(PyArray_DATA(fetched_array), fetched_array));
  Py_INCREF(value.get());
  Py_XSETREF(array->value, value.get());
  array->value_version = version;
  return value;
}

}  // namespace gamelan::kernel
