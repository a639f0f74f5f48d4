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

/// What numpy.seterr has set: a mask and a callback.
struct Settings {
  long mask = default_mask;
  PyObject* callback = Py_None;  // borrowed
};

/// NumPy 1 keeps [buffer size, mask, callback] in the thread's state after the first call of seterr. All its
/// own loops read them there.
Settings settings_of_thread() {
  static PyObject* const key = PyUnicode_InternFromString("UFUNC_PYVALS");
  PyObject* thread = PyThreadState_GetDict();
  PyObject* state = thread == nullptr ? nullptr : PyDict_GetItem(thread, key);
  if (state == nullptr || !PyList_Check(state) || PyList_GET_SIZE(state) != 3) return {};
  return {PyLong_AsLong(PyList_GET_ITEM(state, 1)), PyList_GET_ITEM(state, 2)};
}

constinit Hook variable_hook, ask_hook;

/// NumPy 2 keeps an object of its own in a context variable. The last one that was asked about is known.
Settings settings_of_context() {
  static constinit Hook known, callback;
  static long mask = default_mask;
  PyObject* found = nullptr;
  if (PyContextVar_Get(variable_hook.get(), nullptr, &found) < 0) throw PythonError();
  Ref object(found);
  if (object.get() != known.get()) {
    const Ref answer = Ref::checked(PyObject_CallNoArgs(ask_hook.get()));
    PyObject* told = nullptr;
    if (!PyArg_ParseTuple(answer.get(), "lO", &mask, &told)) throw PythonError();
    callback.set(told);
    known.set(object.get());
  }
  return {mask, callback.get()};
}

/// The operation's name in NumPy's messages.
std::string name_of(protocol::Op op) {
  if (op == protocol::Op::copy) return "cast";
  const auto& row = protocol::info(op);
  return row.kind == protocol::RowKind::reduce ? "reduce" : std::string(row.name);
}

}  // namespace

constinit Hook float_error_hook;

void set_float_settings(PyObject* variable, PyObject* ask) {
  variable_hook.set(variable);
  ask_hook.set(ask);
}

std::uint32_t FloatListeners::current() {
  const Settings wanted = variable_hook ? settings_of_context() : settings_of_thread();
  return watched_by(wanted.mask) == 0 ? nobody : number_of(wanted.mask, wanted.callback);
}

std::uint32_t FloatListeners::number_of(long mask, PyObject* callback) {
  const auto is_it = [&](const Listener& each) {
    return each.mask == mask && each.callback.get() == callback;
  };
  const auto found = std::find_if(listeners_.rbegin(), listeners_.rend(), is_it);
  if (found != listeners_.rend()) return static_cast<std::uint32_t>(listeners_.rend() - found);
  listeners_.push_back({mask, Ref::borrow(callback)});
  watched_ |= watched_by(mask);
  return static_cast<std::uint32_t>(listeners_.size());
}

Listener FloatListeners::of(std::uint32_t number) const {
  if (number == nobody || number == sound) return {};
  return {listener(number).mask, Ref::borrow(listener(number).callback.get())};
}

std::uint32_t FloatListeners::add(std::uint32_t number, const Listener& listener) {
  return number == nobody || number == sound ? number : number_of(listener.mask, listener.callback.get());
}

bool FloatListeners::only_warn() const {
  return std::all_of(listeners_.begin(), listeners_.end(), [](const Listener& each) {
    constexpr long ignore_or_warn = 01111;  // the lowest bit of each kind's three
    return (each.mask & ~ignore_or_warn) == 0;
  });
}

void FloatListeners::close(const protocol::Batch& batch, const std::vector<std::uint32_t>& listeners) {
  if (watched_ == 0) return;
  origins_ = batch.origins;
  commands_.reserve(batch.commands.size());
  for (std::size_t index = 0; index < batch.commands.size(); ++index)
    commands_.push_back({batch.commands[index].op, batch.commands[index].origin, listeners[index]});
}

void FloatListeners::tell(const protocol::FloatErrors& errors) const {
  auto first = static_cast<std::size_t>(errors.first), last = static_cast<std::size_t>(errors.last);
  if (!float_error_hook || first > last || first >= commands_.size()) return;
  last = std::min(last, commands_.size() - 1);  // others ride along (Sender::send)
  while (first < last && commands_[first].listener == sound) ++first;
  while (first < last && commands_[last].listener == sound) --last;
  // When one of several commands has met the error, and any of these must not be reported, nothing is
  // reported.
  for (std::size_t index = first; index <= last; ++index)
    if (commands_[index].listener == nobody) return;
  if (commands_[first].listener == sound) return;  // all of them
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
