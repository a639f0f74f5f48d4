// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/module/blas_threads.hpp"

#include <Python.h>
// (Python.h first)
#include <dlfcn.h>

#include <string>

#include "kernel/arrays/small/openblas.hpp"

namespace gamelan::kernel {
namespace {

bool is_only_thread_of_python() {
  PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
  return first != nullptr && PyThreadState_Next(first) == nullptr;
}

}  // namespace

void renew_blas_threads() {
  if (!is_only_thread_of_python()) return;
  for (const std::string& path : openblas_paths()) {
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
