// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/environment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pybind11/embed.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace gamelan::kernel {
namespace {

const std::string built_version = std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A path as a shell reads it.
std::string for_shell(const std::string& path) {
  if (path.find_first_of(" \t\n!\"#$&'()*;<>?[\\]`{|}~") == std::string::npos) return path;
  std::string text = "'";
  for (const char letter : path) text += letter == '\'' ? std::string("'\"'\"'") : std::string(1, letter);
  return text + "'";
}

// The folder above that of this program.
std::filesystem::path prefix() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

// The environment into which pip has put this program and its packages; empty for any other installation.
std::filesystem::path own_environment() {
  std::error_code error;
  const std::filesystem::path place = prefix();
  const auto packages = place / "lib" / ("python" + built_version) / "site-packages";
  const bool is_pips = std::filesystem::exists(packages / "gamelan_kernel", error) &&
                       access((place / "bin/python3").c_str(), X_OK) == 0;
  return is_pips ? place : std::filesystem::path();
}

constexpr int answer_limit_ms = 20'000;  // a disk that sleeps, a network that is slow; no program that hangs

// What a Python says of itself; both are empty where it says nothing in time. The executable of a shim
// (pyenv's) is the Python that it chooses; that of a venv is the venv's.
struct Answer {
  std::string version;
  std::string executable;
};

// Asked before Python starts: an executable of another version has another standard library, and Python would
// end the process without saying why.
Answer ask(const std::string& executable) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<const char*, 6> arguments{
      executable.c_str(),
      "-I",
      "-S",
      "-c",
      "import sys; print('%d.%d' % sys.version_info[:2], sys.executable, sep='\\n', end='')",
      nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, executable.c_str(), &actions, nullptr,
                                 const_cast<char**>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::array<char, PATH_MAX + 16> told{};
  ssize_t size = 0;
  if (failed == 0) {
    pollfd reported{ends[0], POLLIN, 0};
    if (poll(&reported, 1, answer_limit_ms) == 1) size = read(ends[0], told.data(), told.size());
    kill(child, SIGKILL);  // it has said what was asked
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  const std::string text(told.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t end = std::min(text.find('\n'), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

// As a shell finds a program: by its path, or by its name in PATH.
std::string found(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + program;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return program;
}

void check(const PyStatus& status) {
  if (PyStatus_Exception(status) != 0) {
    throw std::runtime_error(std::string("Python did not start: ") +
                             (status.err_msg != nullptr ? status.err_msg : "no reason given"));
  }
}

}  // namespace

std::string python_executable() {
  if (const std::string chosen = variable("GAMELAN_PYTHON"); !chosen.empty()) return found(chosen);
  if (const std::filesystem::path own = own_environment(); !own.empty()) return own / "bin/python3";
  if (const std::string active = variable("VIRTUAL_ENV"); !active.empty()) return active + "/bin/python";
  // conda activates `base` in every shell: nobody has chosen that one.
  if (const std::string active = variable("CONDA_PREFIX");
      !active.empty() && variable("CONDA_DEFAULT_ENV") != "base") {
    return active + "/bin/python";
  }
  return GAMELAN_BUILT_WITH_PYTHON;
}

std::string start_python(std::string executable) {
  if (access(executable.c_str(), X_OK) != 0) {
    throw std::runtime_error(
        executable +
        " is not an executable file. Is its environment gone? Then make it again, or run "
        "`gamelan kernel install` in another; or set GAMELAN_PYTHON to the path of a "
        "Python " +
        built_version + " that has IPython.");
  }
  if (executable != GAMELAN_BUILT_WITH_PYTHON) {
    const auto [version, real] = ask(executable);
    if (version != built_version) {
      throw std::runtime_error(
          executable + (version.empty() ? " does not say which Python it is" : " is Python " + version) +
          ", but this kernel was built for Python " + built_version + ": install Gamelan for it (`" +
          for_shell(executable) +
          " -m pip install .` in Gamelan's sources), or set GAMELAN_PYTHON to a Python " + built_version +
          " that has IPython.");
    }
    if (!real.empty()) executable = real;
  }
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  config.install_signal_handlers = 1;
  // With the name of a venv's executable, Python finds pyvenv.cfg beside it and makes the venv its prefix.
  check(PyConfig_SetBytesString(&config, &config.program_name, executable.c_str()));
  check(PyConfig_SetBytesString(&config, &config.executable, executable.c_str()));
  std::array<char*, 1> arguments{const_cast<char*>("gamelan-kernel")};  // IPython reads sys.argv
  check(PyConfig_SetBytesArgv(&config, 1, arguments.data()));
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  check(status);
  return executable;
}

void require_packages(const std::string& executable) {
  try {
    pybind11::module_::import("IPython");
  } catch (pybind11::error_already_set& error) {
    throw std::runtime_error("IPython cannot be imported in " + executable + " (" +
                             std::string(pybind11::str(error.value())) + "); install it there with `" +
                             for_shell(executable) +
                             " -m pip install ipython`, or set GAMELAN_PYTHON to a Python that has it.");
  }
  if (pybind11::module_::import("importlib.util").attr("find_spec")("gamelan_kernel").is_none()) {
    throw std::runtime_error(executable + " has no Gamelan: install it there with `" + for_shell(executable) +
                             " -m pip install .` in Gamelan's sources, or set GAMELAN_PYTHON to a Python " +
                             "that has it.");
  }
}

std::filesystem::path package_directory() {
  std::error_code error;
  const std::filesystem::path in_build = prefix() / "python";
  if (std::filesystem::exists(in_build / "gamelan_kernel", error)) return in_build;
#ifdef GAMELAN_INSTALL_PYTHON
  const std::filesystem::path installed = prefix() / GAMELAN_INSTALL_PYTHON;
  if (std::filesystem::exists(installed / "gamelan_kernel", error)) return installed;
#endif
  return {};  // pip's: an environment finds its own packages
}

}  // namespace gamelan::kernel
