// SPDX-License-Identifier: BSD-3-Clause
// Releases Python's global interpreter lock while this thread waits for the engines.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// The GIL is released for the life of this object.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace gamelan::kernel
