// SPDX-License-Identifier: BSD-3-Clause
// Releases Python's global interpreter lock while this thread waits for the engines.
#pragma once
#include <unistd.h>

#include <atomic>

#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// The thread that ends Python; 0 before. From then on no other comes back from a wait: its engines are
/// stopped, and it would ask for the GIL. Python ends a thread that does by an exception of the C library's,
/// which no destructor lets pass.
inline std::atomic<pid_t> thread_that_ends_python{0};

/// The GIL is released for the life of this object.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    while (thread_that_ends_python != 0 && thread_that_ends_python != gettid()) pause();
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Does not return once another thread ends Python.
inline void rest_at_end_of_python() {
  if (thread_that_ends_python != 0) const WithoutGil released;
}

}  // namespace gamelan::kernel
