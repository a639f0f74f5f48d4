// SPDX-License-Identifier: BSD-3-Clause
// Python's global interpreter lock, let go while this thread waits for the engines.
#pragma once
#include "kernel/recorder/python_object.hpp"

namespace gamelan::kernel {

/// The GIL is let go for the life of this object.
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
