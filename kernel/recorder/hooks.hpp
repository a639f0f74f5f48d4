// SPDX-License-Identifier: BSD-3-Clause
// What the session asks of the Python half: to start engines, to say how they ended, to build an exception.
// All functions need the GIL.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <optional>
#include <string>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// Of gamelan._session: called about ten times a second while waiting with (seconds waited, None), and once
/// with what the client found when the engines fell silent. Returns None, or text saying how the engines
/// ended.
extern Hook wait_hook;
/// Of gamelan._session: starts or finds engines and calls _core.connect.
extern Hook start_hook;
/// Of gamelan._errors: builds an exception from (class name, message, file, line).
extern Hook error_hook;

/// Calls the wait hook: text that says how the engines ended, or nothing. Throws what the hook raises.
std::optional<std::string> ask_wait_hook(double waited_s, const char* found);
/// Calls the start hook; throws what it raises, Error{engine_lost} when there is none.
void ask_start_hook();
/// Raises the Python exception for an error of the C++ rooms.
[[noreturn]] void raise_error(const protocol::Error& error, const protocol::Origin& origin = {});

}  // namespace gamelan::kernel
