// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/user_call.hpp"

#include "kernel/recorder/call_number.hpp"
#include "kernel/recorder/current_session.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

namespace {

void end(std::uint64_t number) noexcept {
  const auto session = current_session_or_null();
  if (session == nullptr) return;
  const bool is_interrupted = is_interrupt(PyErr_Occurred());
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);  // the caller's exception; what follows sets and clears others
  try {
    session->end_call(number, is_interrupted);
  } catch (const std::exception&) {  // no memory left to note it: arrays of the call may be half made
  }
  PyErr_Restore(type, value, traceback);
}

}  // namespace

UserCall::UserCall() noexcept { call_number::enter(); }

UserCall::~UserCall() {
  if (const auto number = call_number::leave(); number != 0) end(number);
}

void UserCall::commit() noexcept {
  const auto number = call_number::renew();
  const auto session = number == 0 ? nullptr : current_session_or_null();
  if (session != nullptr) session->end_call(number, false);
}

}  // namespace gamelan::kernel
