// SPDX-License-Identifier: BSD-3-Clause
// Which Python the kernel embeds: GAMELAN_PYTHON, else the active VIRTUAL_ENV, else the one with which it was
// built. Starts the interpreter with the sys.prefix, sys.executable and site-packages of that Python.
#pragma once
#include <filesystem>
#include <string>

namespace gamelan::kernel {

/// Path of the Python executable that the kernel stands for.
std::string python_executable();

/// Starts Python; the caller then holds the GIL. Throws std::runtime_error, with one sentence for the user,
/// when the executable does not exist or has another version than the one compiled in.
void start_python(const std::string& executable);

/// Throws std::runtime_error with one sentence when IPython cannot be imported. GIL held.
void require_ipython(const std::string& executable);

/// Directory with the packages `gamelan` and `gamelan_kernel`, found from where this binary lies; empty if
/// missing.
std::filesystem::path package_directory();

}  // namespace gamelan::kernel
