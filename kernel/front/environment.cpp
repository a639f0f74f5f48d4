// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/front/environment.hpp"

#include <fcntl.h>
#include <pybind11/embed.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace gamelan::kernel {
namespace {

const std::string built_version = std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);

// The version that `executable` reports; empty when it reports none. Asked before Python starts: an
// executable of another version has another standard library, and Python would end the process without saying
// why.
std::string version_of(const std::string& executable) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<const char*, 6> arguments{executable.c_str(),
                                       "-I",
                                       "-S",
                                       "-c",
                                       "import sys; print('%d.%d' % sys.version_info[:2], end='')",
                                       nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, executable.c_str(), &actions, nullptr,
                                 const_cast<char**>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::array<char, 16> answer{};
  ssize_t size = 0;
  if (failed == 0) {
    size = read(ends[0], answer.data(), answer.size());
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return size > 0 ? std::string(answer.data(), static_cast<std::size_t>(size)) : std::string{};
}

void check(const PyStatus& status) {
  if (PyStatus_Exception(status) != 0) {
    throw std::runtime_error(std::string("Python did not start: ") +
                             (status.err_msg != nullptr ? status.err_msg : "no reason given"));
  }
}

}  // namespace

std::string python_executable() {
  if (const char* chosen = std::getenv("GAMELAN_PYTHON"); chosen != nullptr && *chosen != '\0') return chosen;
  if (const char* active = std::getenv("VIRTUAL_ENV"); active != nullptr && *active != '\0') {
    return std::string(active) + "/bin/python";
  }
  return GAMELAN_BUILT_WITH_PYTHON;
}

void start_python(const std::string& executable) {
  if (executable != GAMELAN_BUILT_WITH_PYTHON) {
    if (access(executable.c_str(), X_OK) != 0) {
      throw std::runtime_error(executable +
                               " is not an executable file; set GAMELAN_PYTHON to the path of a Python " +
                               built_version + " that has IPython.");
    }
    if (const std::string version = version_of(executable); version != built_version) {
      throw std::runtime_error(executable + " is Python " + (version.empty() ? "(unknown)" : version) +
                               ", but this kernel was built for Python " + built_version +
                               "; set GAMELAN_PYTHON to a Python " + built_version + " that has IPython.");
    }
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
}

void require_ipython(const std::string& executable) {
  try {
    pybind11::module_::import("IPython");
  } catch (pybind11::error_already_set& error) {
    throw std::runtime_error("IPython cannot be imported in " + executable + " (" +
                             std::string(pybind11::str(error.value())) + "); install it there with `" +
                             executable +
                             " -m pip install ipython`, or set GAMELAN_PYTHON to a Python that has it.");
  }
}

std::filesystem::path package_directory() {
  std::error_code error;
  const auto prefix = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  const std::filesystem::path in_build = prefix / "python";
  for (const auto& place : {in_build, std::filesystem::path(GAMELAN_INSTALL_PYTHON)}) {
    if (std::filesystem::exists(place / "gamelan_kernel", error)) return place;
  }
  return {};
}

}  // namespace gamelan::kernel
