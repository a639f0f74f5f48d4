// SPDX-License-Identifier: BSD-3-Clause
// The functions that the session calls in the Python half: to start engines, to say how they ended, to build
// an exception. All need the GIL.
#pragma once
#include "kernel/recorder/python_object.hpp"
// (Python.h first)
#include <optional>
#include <string>

#include "protocol/message.hpp"

namespace gamelan::kernel {

/// A function of gamelan._session. It is called about ten times a second during a wait with (seconds waited,
/// None), and once with what the client found when the engines fell silent. It returns None, or text that
/// says how the engines ended.
extern Hook wait_hook;
/// A function of gamelan._session that starts or finds engines and calls _core.connect.
extern Hook start_hook;
/// A function of gamelan._protection that writes a checkpoint.
extern Hook checkpoint_hook;
/// A function of gamelan._errors that builds an exception from (class name, message, file, line).
extern Hook error_hook;
/// A function of gamelan._errors that tells the user (file, line) where the arrays stand after a cut.
extern Hook cut_hook;

/// Calls the wait hook. Returns text that says how the engines ended, or nullopt. Throws what the hook
/// raises.
std::optional<std::string> ask_wait_hook(double waited_s, const char* found);
/// Calls the start hook. Throws what it raises, or Error{engine_lost} when no hook is registered.
void ask_start_hook();
/// Tells where the program was cut. Keeps the Python error that is set.
void tell_cut(const protocol::Origin& origin) noexcept;
/// Raises the Python exception for an error of the C++ rooms.
[[noreturn]] void raise_error(const protocol::Error& error, const protocol::Origin& origin = {});

}  // namespace gamelan::kernel
