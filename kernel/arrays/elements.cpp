// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/arrays/elements.hpp"

#include <algorithm>

#include "kernel/arrays/dispatch.hpp"
#include "kernel/arrays/distributed.hpp"
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

}  // namespace gamelan::kernel
