// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/values.hpp"

#include <algorithm>
#include <cstring>

#include "kernel/arrays/bool_bytes.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/read_ahead.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"
#include "kernel/recorder/user_call.hpp"

namespace gamelan::kernel {

using protocol::Bytes;

namespace {

constexpr std::size_t copy_limit_bytes = 1 << 16;  // larger payloads become the array's own memory, uncopied
constexpr const char* capsule_name = "gamelan.payload";

void free_payload(PyObject* capsule) {
  delete static_cast<Bytes*>(PyCapsule_GetPointer(capsule, capsule_name));
}

void require_bytes(const Bytes& payload, npy_intp expected) {
  if (payload.size() == static_cast<std::size_t>(expected)) return;
  PyErr_Format(PyExc_RuntimeError, "gamelan: an engine sent %zu bytes for an array of %zd", payload.size(),
               expected);
  throw PythonError();
}

Ref array_from(const Array* model, Bytes payload) {
  PyArrayObject* proxy = data_of(model);
  PyArray_Descr* descr = PyArray_DESCR(proxy);
  const auto expected = static_cast<std::size_t>(PyArray_NBYTES(proxy));
  require_bytes(payload, PyArray_NBYTES(proxy));
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

/// How much of a large array crosses at once. A cache holds such pieces, and some of them find room in the
/// lane while the engines work at those before. A socket takes longer for each message.
npy_intp piece_bytes(Session& session) { return (session.engines().has_lane() ? 2 : 32) << 20; }
constexpr npy_intp least_pieces = 4;  // fewer cross as one
bool crosses_in_pieces(npy_intp bytes, Session& session) {
  return bytes >= least_pieces * piece_bytes(session);
}

/// Calls visit(first, extents, begin) for boxes of an array that lie in one part in C order: the index of
/// their first element, and how many bytes lie before it. They are cut along the first axis whose rows are
/// short enough.
template <class Visit>
void for_each_piece(const protocol::Shape& extents, npy_intp item_bytes, npy_intp most_bytes, Visit visit) {
  const auto strides = protocol::contiguous_strides(extents, static_cast<std::size_t>(item_bytes));
  std::size_t axis = 0;
  auto outer = std::int64_t{1};
  for (; strides[axis] > most_bytes && axis + 1 < extents.size(); ++axis) outer *= extents[axis];
  const auto row = strides[axis], count = (extents[axis] * row + most_bytes - 1) / most_bytes;
  const auto most = (extents[axis] + count - 1) / count;
  protocol::Shape first(extents.size()), piece = extents;
  std::fill_n(piece.begin(), axis, 1);
  for (std::int64_t line = 0; line < outer; ++line) {
    for (std::size_t k = axis, rest = line; k-- > 0; rest /= extents[k]) first[k] = rest % extents[k];
    for (first[axis] = 0; first[axis] < extents[axis]; first[axis] += most) {
      piece[axis] = std::min(most, extents[axis] - first[axis]);
      visit(first, piece, (line * extents[axis] + first[axis]) * row);
    }
  }
}

/// Makes the array of a large constant, and writes it piece by piece. All of it is one call of the user's: an
/// interrupt leaves no half of it. No more than a few pieces are copied at a time.
void send_in_pieces(const Array* target, protocol::Command command, const std::byte* elements,
                    Session& session) {
  const UserCall call;
  protocol::Command zeros = command;
  zeros.op = protocol::Op::copy;
  zeros.in = {protocol::Scalar{command.loop, {}}};
  record_write(target, std::move(zeros));
  command.creates = false;
  const auto item = static_cast<npy_intp>(protocol::size_of(command.out.dtype));
  const auto send = [&](const protocol::Shape&, const protocol::Shape& extents, npy_intp begin) {
    command.out.extents = extents;
    command.out.offset = begin;
    const auto* first = elements + begin;
    record_write(target, command, Bytes(first, first + protocol::element_count(extents) * item));
    session.flush(false);
  };
  for_each_piece(protocol::Shape(command.out.extents), item, piece_bytes(session), send);
}

/// The elements of a large array as a new NumPy array, fetched piece by piece.
Ref fetch_in_pieces(const Array* array, Session& session) {
  PyArrayObject* proxy = data_of(array);
  Py_INCREF(PyArray_DESCR(proxy));
  Ref result = Ref::checked(PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(proxy), PyArray_NDIM(proxy),
                                                 PyArray_DIMS(proxy), nullptr, nullptr, 0, nullptr));
  auto* elements = static_cast<std::byte*>(PyArray_DATA(as_numpy(result)));
  const protocol::View whole = view_of(array);
  const auto fetch_one = [&](const protocol::Shape& first, const protocol::Shape& extents, npy_intp begin) {
    protocol::View piece = whole;
    piece.extents = extents;
    for (std::size_t k = 0; k < first.size(); ++k) piece.offset += first[k] * whole.strides[k];
    const auto payload = std::move(session.fetch({std::move(piece)}).front());
    require_bytes(payload, protocol::element_count(extents) * PyArray_ITEMSIZE(proxy));
    std::memcpy(elements + begin, payload.data(), payload.size());
  };
  for_each_piece(whole.extents, PyArray_ITEMSIZE(proxy), piece_bytes(session), fetch_one);
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
  if (crosses_in_pieces(PyArray_NBYTES(as_numpy(contiguous)), *session)) {
    send_in_pieces(as_array(result.get()), std::move(command), first, *session);
    return result;
  }
  record_write(as_array(result.get()), std::move(command),
               Bytes(first, first + PyArray_NBYTES(as_numpy(contiguous))));
  return result;
}

std::vector<Ref> fetch(const std::vector<PyObject*>& arrays) {
  // Into an array that others hold, too, somebody might write between two pieces.
  const auto is_in_pieces = [](const Array* array) {
    return !array->b->is_shared && crosses_in_pieces(PyArray_NBYTES(data_of(array)), **array->b->session);
  };
  std::vector<protocol::View> views;
  std::shared_ptr<Session> session;
  for (PyObject* object : arrays) {
    if (!is_distributed(object)) continue;
    const Array* array = as_array(object);
    (*array->b->session)->require_current();
    session = *array->b->session;
    if (!is_in_pieces(array)) views.push_back(view_of(array));
  }
  std::vector<Bytes> payloads;
  if (!views.empty()) payloads = session->fetch(std::move(views));
  std::vector<Ref> results;
  auto next = payloads.begin();
  for (PyObject* object : arrays) {
    if (!is_distributed(object))
      results.push_back(Ref::checked(
          PyArray_NewCopy(reinterpret_cast<PyArrayObject*>(plain(numpys(object)).get()), NPY_CORDER)));
    else if (const Array* array = as_array(object); is_in_pieces(array))
      results.push_back(fetch_in_pieces(array, *session));
    else
      results.push_back(array_from(array, std::move(*next++)));
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
