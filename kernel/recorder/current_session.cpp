// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/recorder/current_session.hpp"

#include "kernel/recorder/fork.hpp"
#include "kernel/recorder/hooks.hpp"
#include "kernel/recorder/session.hpp"

namespace gamelan::kernel {

using protocol::Error;
using protocol::ErrorKind;

namespace {
std::shared_ptr<Session> current;
}  // namespace

std::shared_ptr<Session> current_session_or_null() { return current; }

std::shared_ptr<Session> current_session() {
  if (Session::is_dry() && current != nullptr) return current;
  if (current != nullptr && current->engines().has_ended() && !is_forked_child()) {
    const auto kept = current;  // during the hook other threads run, which may replace it
    kept->engines().hear_of_end();
    if (kept->can_recover()) kept->require_current();
  }
  if (current != nullptr && !current->engines().is_lost()) {
    Session::require_own_process();
    return current;
  }
  if (is_forked_child()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "gamelan: the engines belong to the process that forked this one; use distributed "
                    "arrays there, or start engines of your own in a fresh process");
    throw PythonError();
  }
  ask_start_hook();
  if (current == nullptr || current->engines().is_lost()) {
    throw Error(ErrorKind::engine_lost, "the engines could not be started");
  }
  return current;
}

void set_current_session(std::shared_ptr<Session> session) {
  if (session != nullptr) session->set_is_current(true);
  const auto old = std::exchange(current, std::move(session));
  if (old == nullptr || old == current) return;
  old->set_is_current(false);
  if (is_forked_child()) return;
  old->leave();
  old->engines().disconnect("they were disconnected");
}

}  // namespace gamelan::kernel
