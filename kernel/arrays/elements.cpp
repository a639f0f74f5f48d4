// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/elements.hpp"

#include <algorithm>
#include <optional>

#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
#include "kernel/arrays/dtypes.hpp"
#include "kernel/arrays/read_ahead.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::Op;
using protocol::View;

namespace {

constexpr int single_fetches = 2;  // values fetched one by one before the next brings its neighbours
constexpr std::int64_t window_bytes = 32
                                      << 10;  // a fetch of as much takes hardly longer than one of a number

ReadAhead nothing_of(const Base& base) {
  ReadAhead known;
  known.version = base.version;
  return known;
}

bool holds(const ReadAhead& known, const View& element) {
  const auto size = static_cast<std::int64_t>(protocol::size_of(element.dtype));
  return known.dtype == element.dtype && element.offset >= known.first &&
         element.offset + size <= known.first + static_cast<std::int64_t>(known.bytes.size());
}

/// Fetches the window of the array in which the element lies.
void read_around(ReadAhead& known, const Base* base, const View& element) {
  const auto size = static_cast<std::int64_t>(protocol::size_of(element.dtype));
  const auto first = element.offset - element.offset % window_bytes +
                     element.offset % size;  // a view may begin between two elements
  const auto count = (std::min(first + window_bytes, base->bytes) - first) / size;
  const auto version = base->version;
  auto payloads = (*base->session)->fetch({View{element.base, element.dtype, first, {count}, {size}}});
  known = {version, 0, element.dtype, first, std::move(payloads.front())};
}

}  // namespace

Ref element_of(Array* view) {
  Base* base = view->b;
  PyArray_Descr* descr = PyArray_DESCR(data_of(view));
  const View place = view_of(view);
  const bool has_others = !base->is_element && !base->is_shared &&
                          base->bytes > static_cast<std::int64_t>(protocol::size_of(place.dtype));
  if (has_others && base->read_ahead != nullptr) {
    const auto read_ahead = *base->read_ahead;  // other threads run while it waits
    auto& known = *read_ahead;
    (*base->session)->require_current();
    if (known.version != base->version) known = nothing_of(*base);
    if (!holds(known, place) && known.values_wanted >= single_fetches) read_around(known, base, place);
    if (known.version == base->version && holds(known, place))
      return Ref::checked(PyArray_Scalar(known.bytes.data() + (place.offset - known.first), descr, nullptr));
  }
  PyObject* operand = reinterpret_cast<PyObject*>(view);
  Ref value = apply(Op::copy, place.dtype, place.dtype, {&operand, 1}, nullptr);
  // As with NumPy's scalars: the element cannot be written, and `x += 1` binds x to a new one.
  PyArray_CLEARFLAGS(data_of(as_array(value.get())), NPY_ARRAY_WRITEABLE);
  if (has_others) {
    if (base->read_ahead == nullptr)
      base->read_ahead = new std::shared_ptr(std::make_shared<ReadAhead>(nothing_of(*base)));
    Base* own = as_array(value.get())->b;
    own->read_ahead = new std::shared_ptr(*base->read_ahead);
    own->is_element = true;
  }
  return value;
}

namespace {

/// The index along an axis of that extent, from its beginning; nullopt for what is no index inside.
std::optional<npy_intp> index_in(PyObject* index, npy_intp extent) {
  if (!PyLong_CheckExact(index)) return std::nullopt;
  int overflow = 0;
  const long long given = PyLong_AsLongLongAndOverflow(index, &overflow);
  const long long place = given < 0 ? given + extent : given;
  if (overflow != 0 || place < 0 || place >= extent) return std::nullopt;
  return static_cast<npy_intp>(place);
}

}  // namespace

Ref known_element(const Array* array, PyObject* key) {
  const Base* base = array->b;
  if (base->read_ahead == nullptr || base->is_element || base->is_shared) return Ref();
  (*base->session)->require_current();  // it may wait, and other threads then write and fetch
  const ReadAhead& known = **base->read_ahead;
  PyArrayObject* proxy = data_of(array);
  const int dims = PyArray_NDIM(proxy);
  const bool is_tuple = PyTuple_CheckExact(key);
  if (known.version != base->version || known.dtype != dtype_of(PyArray_DESCR(proxy)) ||
      dims != (is_tuple ? PyTuple_GET_SIZE(key) : 1))
    return Ref();
  auto offset = offset_of(array);
  for (int dim = 0; dim < dims; ++dim) {
    const auto index = index_in(is_tuple ? PyTuple_GET_ITEM(key, dim) : key, PyArray_DIM(proxy, dim));
    if (!index) return Ref();
    offset += *index * PyArray_STRIDE(proxy, dim);
  }
  const auto place = offset - known.first;
  const auto size = static_cast<std::int64_t>(known.bytes.size());
  if (place < 0 || place + PyArray_ITEMSIZE(proxy) > size) return Ref();
  auto* const element =
      const_cast<std::byte*>(known.bytes.data()) + place;  // NumPy takes it so, and copies it
  return Ref::checked(PyArray_Scalar(element, PyArray_DESCR(proxy), nullptr));
}

}  // namespace gamelan::kernel
