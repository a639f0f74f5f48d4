// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/blas_threads.hpp"

#include <Python.h>
// (Python.h first)
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gamelan::kernel {
namespace {

constexpr const char* variable = "OPENBLAS_THREAD_TIMEOUT";
constexpr const char* log2_of_cycles = "20";  // OpenBLAS's unit; 26 to 28 by default

int note_openblas(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.find("openblas") != std::string_view::npos)
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  return 0;
}

/// Its threads end, as they do before a fork, and begin anew with the next call that wants them.
void renew_threads(void* library) {
  const auto function = [&](const char* name) { return reinterpret_cast<void*>(dlsym(library, name)); };
  void* const read_environment = function("openblas_read_env");
  void* const end_threads = function("blas_thread_shutdown_");
  if (read_environment == nullptr || end_threads == nullptr) return;  // built for OpenMP, or for one thread
  reinterpret_cast<void (*)()>(read_environment)();
  reinterpret_cast<int (*)()>(end_threads)();
}

bool is_only_thread_of_python() {
  PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  return first != nullptr && PyThreadState_Next(first) == nullptr;
}

}  // namespace

void let_blas_threads_sleep() {
  if (std::getenv(variable) != nullptr) return;
  setenv(variable, log2_of_cycles, 0);
  if (!is_only_thread_of_python()) return;
  std::vector<std::string> paths;
  dl_iterate_phdr(note_openblas, &paths);
  for (const std::string& path : paths) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    renew_threads(library);
    dlclose(library);
  }
}

}  // namespace gamelan::kernel
