// SPDX-License-Identifier: BSD-3-Clause
// What the Python half of gamelan gives to the C++ half: how to start engines, what to do while waiting,
// which exception to raise; and the state of this process towards Python (the GIL, fork). All functions need
// the GIL.
#pragma once
#include "kernel/arrays/array_object.hpp"
// (Python.h first)
#include <optional>
#include <string>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Set by gamelan._session: called about ten times a second while waiting with (seconds waited, None), and
/// once with the client's finding when the engines fell silent. It returns None, or text saying how the
/// engines ended.
void set_wait_hook(PyObject* callable);
/// Set by gamelan._session: starts or finds engines and calls _core.connect.
void set_start_hook(PyObject* callable);
/// Set by gamelan._errors: builds an exception from (class name, message, file, line).
void set_error_factory(PyObject* callable);
/// Raises the Python exception for an error of the C++ rooms.
[[noreturn]] void raise_error(const protocol::Error& error, const protocol::Origin& origin = {});
/// True in a child made by fork, where engines, threads and sockets belong to the parent.
bool is_forked_child();

/// Calls the wait hook: text that says how the engines ended, or nothing. Throws what the hook raises.
std::optional<std::string> ask_wait_hook(double waited_s, const char* lost);
/// Calls the start hook; throws what it raises, Error{engine_lost} when there is none.
void ask_start_hook();
/// From now on a fork is noticed; throws Error{os}.
void watch_forks();

/// The GIL is let go for the life of this object.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace gamelan::kernel
