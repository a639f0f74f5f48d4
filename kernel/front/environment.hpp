// SPDX-License-Identifier: BSD-3-Clause
// Which Python the kernel embeds: GAMELAN_PYTHON, else that of the environment into which pip has put the
// kernel, else the active venv's or conda environment's, else the one with which it was built.
// kernel/gamelan/_launch/_pythons.py chooses in the same way. Starts the interpreter with the sys.prefix,
// sys.executable and site-packages of that Python.
#pragma once
#include <filesystem>
#include <string>

namespace gamelan::kernel {

/// Path of the Python executable that the kernel stands for.
std::string python_executable();

/// Starts Python; the caller then holds the GIL. Returns the executable that a shim (pyenv's) stood for,
/// which is sys.executable. Throws std::runtime_error, with one sentence for the user, when the executable
/// does not exist or has another version than the one compiled in.
std::string start_python(std::string executable);

/// Throws std::runtime_error with one sentence when IPython cannot be imported or Gamelan's packages are not
/// there. GIL held.
void require_packages(const std::string& executable);

/// Directory with the packages `gamelan` and `gamelan_kernel`, found from where this binary lies; empty where
/// pip has put them into the environment of the Python.
std::filesystem::path package_directory();

}  // namespace gamelan::kernel
