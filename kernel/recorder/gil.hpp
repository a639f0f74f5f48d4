// SPDX-License-Identifier: BSD-3-Clause
// Releases Python's global interpreter lock while this thread waits for the engines.
#pragma once
#include <unistd.h>

#include <atomic>

#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// The thread that ends Python; 0 before.
inline std::atomic<pid_t> thread_that_ends_python{0};
/// Python calls nothing of ours any more. It ends a thread that asks for the GIL from now on, by an exception
/// of the C library's, which no destructor lets pass: so none comes back from a wait.
inline std::atomic<bool> has_python_ended{false};

/// True once another thread ends Python: this one is a daemon thread, which Python leaves where it is.
inline bool is_left_behind() {
  const pid_t ends = thread_that_ends_python;
  return ends != 0 && ends != gettid();
}
/// Ends a thread that is left behind, before it waits for engines that are about to be stopped: by Python's
/// SystemExit, of which nobody is told, and which gives back what the thread holds.
inline void end_if_left_behind() {
  if (!is_left_behind()) return;
  PyErr_SetNone(PyExc_SystemExit);
  throw PythonError();
}

/// The GIL is released for the life of this object.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    while (has_python_ended && is_left_behind()) pause();
    PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace gamelan::kernel
