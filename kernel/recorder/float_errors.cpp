// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/float_errors.hpp"

#include <algorithm>
#include <string>

#include "protocol/ops.hpp"

namespace gamelan::kernel {
namespace {

constexpr long default_mask = 521;  // warn of all but underflow
constexpr unsigned kinds_in_mask[] = {protocol::float_divide, protocol::float_over, protocol::float_under,
                                      protocol::float_invalid};
constexpr unsigned bits_of_kind = 3;

unsigned watched_by(long mask) {
  unsigned kinds = 0;
  for (const unsigned kind : kinds_in_mask) {
    if ((mask & 7) != 0) kinds |= kind;
    mask >>= bits_of_kind;
  }
  return kinds;
}

/// NumPy keeps [buffer size, mask, callback] in the thread's state after the first call of seterr. All its
/// own loops read them there.
PyObject* state_of_numpy() {
  static PyObject* const key = PyUnicode_InternFromString("UFUNC_PYVALS");
  PyObject* thread = PyThreadState_GetDict();
  PyObject* state = thread == nullptr ? nullptr : PyDict_GetItem(thread, key);
  return state != nullptr && PyList_Check(state) && PyList_GET_SIZE(state) == 3 ? state : nullptr;
}

/// The operation's name in NumPy's messages.
std::string name_of(protocol::Op op) {
  if (op == protocol::Op::copy) return "cast";
  const auto& row = protocol::info(op);
  return row.kind == protocol::RowKind::reduce ? "reduce" : std::string(row.name);
}

}  // namespace

constinit Hook float_error_hook;

std::uint32_t FloatListeners::current() {
  PyObject* const state = state_of_numpy();
  const long mask = state == nullptr ? default_mask : PyLong_AsLong(PyList_GET_ITEM(state, 1));
  PyObject* const callback = state == nullptr ? Py_None : PyList_GET_ITEM(state, 2);
  if (watched_by(mask) == 0) return 0;
  const auto is_it = [&](const Listener& each) {
    return each.mask == mask && each.callback.get() == callback;
  };
  const auto found = std::find_if(listeners_.rbegin(), listeners_.rend(), is_it);
  if (found != listeners_.rend()) return static_cast<std::uint32_t>(listeners_.rend() - found);
  listeners_.push_back({mask, Ref::borrow(callback)});
  watched_ |= watched_by(mask);
  return static_cast<std::uint32_t>(listeners_.size());
}

void FloatListeners::close(const protocol::Batch& batch, const std::vector<std::uint32_t>& listeners) {
  if (watched_ == 0) return;
  origins_ = batch.origins;
  commands_.reserve(batch.commands.size());
  for (std::size_t index = 0; index < batch.commands.size(); ++index)
    commands_.push_back({batch.commands[index].op, batch.commands[index].origin, listeners[index]});
}

void FloatListeners::tell(const protocol::FloatErrors& errors) const {
  const auto first = static_cast<std::size_t>(errors.first), last = static_cast<std::size_t>(errors.last);
  if (!float_error_hook || first > last || last >= commands_.size()) return;
  // When one of several commands has met the error, and any of these must not be reported, nothing is
  // reported.
  for (std::size_t index = first; index <= last; ++index)
    if (commands_[index].listener == 0) return;
  const Heard& heard = commands_[first];
  const Listener& told = listener(heard.listener);
  const auto& origin = origins_[heard.origin];
  const std::string name = name_of(heard.op), other = name_of(commands_[last].op);
  Ref::checked(PyObject_CallFunction(float_error_hook.get(), "iszlOsiO", static_cast<int>(errors.kinds),
                                     name.c_str(), name == other ? nullptr : other.c_str(), told.mask,
                                     told.callback.get(), origin.file.c_str(), static_cast<int>(origin.line),
                                     globals_[heard.origin].get()));
}

}  // namespace gamelan::kernel
