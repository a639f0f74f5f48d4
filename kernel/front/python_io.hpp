// SPDX-License-Identifier: BSD-3-Clause
// The built-in Python module `_gamelan_kernel`: the functions of the Jupyter side that the shell, which is
// Python, may call. Output is in python_io.cpp, comms are in python_comm.cpp. JSON crosses as text, so
// neither side converts objects.
#pragma once
#include <pybind11/embed.h>

#include <optional>
#include <string>
#include <xeus/xmessage.hpp>

#include "kernel/front/server.hpp"

namespace gamelan::kernel {

/// Sets the server that the module uses. To be called before the first request. The server must outlive
/// Python.
void bind_front_end(Server& server);

/// Whether the running request may ask for input, and whether the shell has asked to end the kernel. GIL
/// held.
void allow_input(bool is_allowed);
bool is_exit_wanted();

/// Adds the comm functions to the module.
void add_comms(pybind11::module_& module);
/// Why xeus must not get this message: its comm or target is not known here. nullopt when it may. GIL held.
std::optional<std::string> refuse_comm_message(const xeus::xmessage& message, Server& server);

}  // namespace gamelan::kernel
