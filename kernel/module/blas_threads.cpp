// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/blas_threads.hpp"

#include <Python.h>
// (Python.h first)
#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>
#include <vector>

namespace gamelan::kernel {
namespace {

int note_openblas(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string_view path = info->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.find("openblas") != std::string_view::npos)
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
  return 0;
}

bool is_only_thread_of_python() {
  PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  return first != nullptr && PyThreadState_Next(first) == nullptr;
}

}  // namespace

void renew_blas_threads() {
  if (!is_only_thread_of_python()) return;
  std::vector<std::string> paths;
  dl_iterate_phdr(note_openblas, &paths);
  for (const std::string& path : paths) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const auto read_environment = reinterpret_cast<void (*)()>(dlsym(library, "openblas_read_env"));
    const auto end_threads = reinterpret_cast<int (*)()>(dlsym(library, "blas_thread_shutdown_"));
    if (read_environment != nullptr && end_threads != nullptr) {
      read_environment();
      end_threads();
    }
    dlclose(library);
  }
}

}  // namespace gamelan::kernel
